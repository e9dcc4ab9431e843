import type { DeletionBody, Job } from '@spoor/contract/schemas/deletion'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FEED_KEYS } from '../api/client/feed.ts'
import { cancelJob, deleteMatching, isOpen, jobQuery, matchingQuery } from '../api/deletions.ts'
import { formatCount, formatTraces } from '../lib/format-number.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Modal } from '../ui/modal.tsx'
import { useAction, useSilentAction } from '../ui/use-action.ts'
import { toDeletionBody } from './deletion-body.ts'
import type { FeedSearch } from './filters/search.ts'

interface DeleteMatchingProps {
  readonly search: FeedSearch
  /** Without it there is no button; a deletion under way is shown all the same. */
  readonly offered: boolean
}

/** Deletes all traces that the query finds, by a job whose progress it shows. */
export function DeleteMatching({ search, offered }: DeleteMatchingProps) {
  const queries = useQueryClient()
  /** As of when the dialog was opened: a range such as the last hour moves on. */
  const [body, setBody] = useState<DeletionBody | null>(null)
  const [jobId, setJobId] = useState<string | null>(null)
  const { data: job, error } = useQuery({ ...jobQuery(jobId ?? ''), enabled: jobId !== null })
  const hasEnded = job !== undefined && !isOpen(job)
  // Also after the dialog was closed.
  useEffect(() => {
    if (hasEnded) for (const queryKey of FEED_KEYS) void queries.invalidateQueries({ queryKey })
  }, [hasEnded, queries])
  const close = () => setBody(null)
  const open = () => {
    if (hasEnded) setJobId(null)
    setBody(toDeletionBody(search))
  }
  return (
    <>
      {offered && <IconButton icon={Trash2} variant="plain" label="Delete all traces that match" onClick={open} />}
      <Modal title="Delete all traces that match" open={body !== null} onOpenChange={close}>
        {body !== null && jobId === null && <Ask body={body} onStarted={setJobId} onCancel={close} />}
        {job !== undefined && <Progress job={job} onClose={close} />}
        {jobId !== null && job === undefined && <ErrorText error={error} />}
      </Modal>
    </>
  )
}

interface AskProps {
  readonly body: DeletionBody
  onStarted(jobId: string): void
  onCancel(): void
}

function Ask({ body, onStarted, onCancel }: AskProps) {
  const [all, setAll] = useState(false)
  const asked = all ? { ...body, all } : body
  const { data, error } = useQuery(matchingQuery(asked))
  const start = useSilentAction(() => deleteMatching(asked), { onSuccess: ({ job_id }) => onStarted(job_id) })
  const count = data?.count
  return (
    <div className="space-y-4">
      <p>
        {count === undefined
          ? 'Counting the traces…'
          : `${formatTraces(count)} ${count === 1 ? 'matches' : 'match'} the filters and the time.`}{' '}
        Their steps, metric events and media are deleted too. This cannot be undone.
      </p>
      <Checkbox
        label="These may be all traces of the project"
        hint="Needed if every trace matches."
        checked={all}
        onChange={({ target }) => setAll(target.checked)}
      />
      <ErrorText error={start.error ?? error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="danger"
          disabled={count === undefined || count === 0 || start.isPending}
          onClick={() => start.mutate()}
        >
          {count === undefined ? 'Delete' : `Delete ${formatTraces(count)}`}
        </Button>
      </div>
    </div>
  )
}

const STATUS_WORDS: Readonly<Record<Job['status'], string>> = {
  queued: 'Waiting for its turn',
  running: 'Deleting',
  succeeded: 'Deleted',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

interface ProgressProps {
  readonly job: Job
  onClose(): void
}

function Progress({ job, onClose }: ProgressProps) {
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
      {job.error !== null && <p className="text-fail text-sm">{job.error}</p>}
      <div className="flex justify-end gap-2">
        {!hasEnded && (
          <Button variant="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            Stop deleting
          </Button>
        )}
        <Button onClick={onClose}>{hasEnded ? 'Done' : 'Continue in the background'}</Button>
      </div>
    </div>
  )
}
