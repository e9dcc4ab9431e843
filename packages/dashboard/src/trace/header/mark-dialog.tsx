import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { patchTrace } from '../../api/trace.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { Modal } from '../../ui/modal.tsx'
import { useToast } from '../../ui/toasts.tsx'

export type Mark = 'flag' | 'unflag' | 'fail' | 'ok'

interface MarkWords {
  readonly title: string
  readonly text: string
  readonly confirm: string
  readonly patch: TracePatch
  readonly done: string
}

const MARKS: Readonly<Record<Mark, MarkWords>> = {
  flag: {
    title: 'Flag this trace',
    text: 'Webhooks of trace.flagged are told.',
    confirm: 'Flag',
    patch: { flagged: true },
    done: 'The trace is flagged.',
  },
  unflag: {
    title: 'Take the flag back',
    text: 'The reason that was given goes with it.',
    confirm: 'Take back',
    patch: { flagged: false },
    done: 'The trace is no longer flagged.',
  },
  fail: {
    title: 'Mark this trace failed',
    text: 'It counts as failed from now on. Webhooks of trace.flagged are told.',
    confirm: 'Mark failed',
    patch: { status: 'error' },
    done: 'The trace is marked failed.',
  },
  ok: {
    title: 'Mark this trace ok',
    text: 'A trace with a failed step stays failed all the same.',
    confirm: 'Mark ok',
    patch: { status: 'ok' },
    done: 'The trace is marked ok.',
  },
}

interface MarkDialogProps {
  readonly traceId: string
  readonly mark: Mark
  onClose(): void
  onMarked(row: TraceRow, reason: string | undefined): void
}

/** Marks a trace, with a reason where one is kept. */
export function MarkDialog({ traceId, mark, onClose, onMarked }: MarkDialogProps) {
  const { title, text, confirm, patch, done } = MARKS[mark]
  const [reason, setReason] = useState('')
  const toast = useToast()
  const marking = useMutation({
    mutationFn: () => patchTrace(traceId, { ...patch, ...(reason === '' ? {} : { reason }) }),
    onSuccess: (row) => {
      onMarked(row, reason === '' ? undefined : reason)
      const kept = mark === 'ok' && row.status === 'error'
      toast(kept ? { kind: 'fail', text: 'A step failed: the trace stays failed.' } : { kind: 'ok', text: done })
      onClose()
    },
  })
  const error = marking.error === null ? null : asApiError(marking.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    marking.mutate()
  }
  const hasReason = mark === 'flag' || mark === 'fail'
  return (
    <Modal title={title} description={text} open onOpenChange={onClose}>
      <form onSubmit={submit} className="space-y-4">
        {hasReason && (
          <Field label="Reason (optional)" hint="Shown on the trace and sent to webhooks." error={error?.of('/reason')}>
            {(props) => (
              <Textarea
                {...props}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) marking.mutate()
                }}
              />
            )}
          </Field>
        )}
        {error !== null && error.of('/reason') === undefined && (
          <p role="alert" className="text-fail text-sm break-words">
            {error.message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={marking.isPending}>
            {confirm}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
