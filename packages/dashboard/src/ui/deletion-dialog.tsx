import type { DeletionReceipt, Job } from '@spoor/contract/schemas/deletion'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { cancelJob, isOpen, jobQuery } from '../api/deletions.ts'
import { formatCount, formatTraces } from '../lib/format-number.ts'
import { Button, IconButton } from './button.tsx'
import { ErrorText } from './error-text.tsx'
import { Modal } from './modal.tsx'
import { Time } from './time.tsx'
import { useAction } from './use-action.ts'

export interface AskProps {
  onStarted(jobId: string): void
  onCancel(): void
}

interface DeletionDialogProps {
  /** Also of the button. */
  readonly title: string
  /** Without it there is no button; a deletion under way is shown all the same. */
  readonly offered: boolean
  /** What is shown before the deletion begins; made anew each time. */
  readonly children: (ask: AskProps) => ReactNode
}

/** A button for a deletion of many traces, by a job whose progress the dialog shows. */
export function DeletionDialog({ title, offered, children }: DeletionDialogProps) {
  const queries = useQueryClient()
  const [isShown, setShown] = useState(false)
  const [jobId, setJobId] = useState<string | null>(null)
  const { data: job, error } = useQuery({ ...jobQuery(jobId ?? ''), enabled: jobId !== null })
  const hasEnded = job !== undefined && !isOpen(job)
  const isGone = hasEnded || (job !== undefined && job.result !== null)
  // Also after the dialog was closed.
  useEffect(() => {
    if (isGone) void queries.invalidateQueries()
  }, [isGone, queries])
  const close = () => setShown(false)
  const open = () => {
    if (hasEnded) setJobId(null)
    setShown(true)
  }
  return (
    <>
      {offered && <IconButton icon={Trash2} variant="plain" label={title} onClick={open} />}
      <Modal title={title} open={isShown} onOpenChange={close}>
        {jobId === null && children({ onStarted: setJobId, onCancel: close })}
        {job !== undefined && <Progress job={job} onClose={close} />}
        {jobId !== null && job === undefined && <ErrorText error={error} />}
      </Modal>
    </>
  )
}

const STATUS_WORDS: Readonly<Record<Job['status'], string>> = {
  queued: 'Waiting for its turn',
  running: 'Deleting',
  succeeded: 'Deleted',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

function Progress({ job, onClose }: { job: Job; onClose(): void }) {
  const cancel = useAction(() => cancelJob(job.id), { refresh: [jobQuery(job.id).queryKey] })
  const hasEnded = !isOpen(job)
  return (
    <div className="space-y-4">
      <p role="status">
        {STATUS_WORDS[job.status]}: {formatCount(job.done)} of {formatTraces(job.total)}.
        {hasEnded ? '' : ' The deletion goes on when you leave the page.'}
      </p>
      <progress
        className="accent-accent w-full"
        aria-label="Deleted traces"
        value={Math.min(job.done, job.total)}
        max={Math.max(1, job.total)}
      />
      {job.result !== null && <Receipt receipt={job.result} />}
      {job.error !== null && <p className="text-fail text-sm">{job.error}</p>}
      <div className="flex justify-end gap-2">
        {!hasEnded && job.result === null && (
          <Button variant="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            Stop deleting
          </Button>
        )}
        <Button onClick={onClose}>{hasEnded ? 'Done' : 'Continue in the background'}</Button>
      </div>
    </div>
  )
}

function Receipt({ receipt }: { readonly receipt: DeletionReceipt }) {
  const { id, traces, steps, metric_events, media, requested_at, gone_from_reads_at, gone_from_disk_at } = receipt
  const counts = { Traces: traces, Steps: steps, 'Metric events': metric_events, Media: media }
  return (
    <section aria-label="Receipt" className="space-y-2 text-sm">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-1">
        {Object.entries(counts).map(([name, count]) => (
          <Row key={name} name={name}>
            {formatCount(count)}
          </Row>
        ))}
        <Row name="Requested">
          <Time at={requested_at} />
        </Row>
        <Row name="In no answer since">
          <Time at={gone_from_reads_at} />
        </Row>
        <Row name="Off the disk since">
          {gone_from_disk_at === null ? 'a few minutes are left' : <Time at={gone_from_disk_at} />}
        </Row>
      </dl>
      <p className="text-muted">
        {gone_from_disk_at === null ? 'This receipt will be' : 'This receipt is'} in the audit log as{' '}
        <code className="break-all">{id}</code>. Backups and exports keep their data.
      </p>
    </section>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
