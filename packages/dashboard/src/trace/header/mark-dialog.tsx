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
    text: 'Notifies trace.flagged webhooks.',
    confirm: 'Flag',
    patch: { flagged: true },
    done: 'Trace flagged',
  },
  unflag: {
    title: 'Remove flag',
    text: 'This also removes the reason.',
    confirm: 'Remove flag',
    patch: { flagged: false },
    done: 'Flag removed',
  },
  fail: {
    title: 'Mark this trace failed',
    text: 'The trace counts as failed. Notifies trace.flagged webhooks.',
    confirm: 'Mark failed',
    patch: { status: 'error' },
    done: 'Trace marked failed',
  },
  ok: {
    title: 'Mark this trace ok',
    text: 'The trace counts as ok, whatever its steps say.',
    confirm: 'Mark ok',
    patch: { status: 'ok' },
    done: 'Trace marked ok',
  },
}

interface MarkDialogProps {
  readonly traceId: string
  readonly mark: Mark
  onClose(): void
  onMarked(row: TraceRow, reason: string | undefined): void
}

/** Changes the flag or status of a trace, with a reason where one is stored. */
export function MarkDialog({ traceId, mark, onClose, onMarked }: MarkDialogProps) {
  const { title, text, confirm, patch, done } = MARKS[mark]
  const [reason, setReason] = useState('')
  const toast = useToast()
  const marking = useMutation({
    mutationFn: () => patchTrace(traceId, { ...patch, ...(reason === '' ? {} : { reason }) }),
    onSuccess: (row) => {
      onMarked(row, reason === '' ? undefined : reason)
      toast({ kind: 'ok', text: done })
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
