import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useState } from 'react'
import { FEED_KEYS } from '../../api/client/feed.ts'
import { divergenceQuery } from '../../api/insight.ts'
import { patchTrace } from '../../api/trace.ts'
import { Field, Textarea } from '../../ui/field.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'

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
  const hasReason = mark === 'flag' || mark === 'fail'
  return (
    <FormModal
      title={title}
      description={text}
      send={() => patchTrace(traceId, { ...patch, ...(reason === '' ? {} : { reason }) })}
      onClose={onClose}
      onSuccess={(row) => onMarked(row, reason === '' ? undefined : reason)}
      refresh={[...FEED_KEYS, divergenceQuery(traceId).queryKey]}
      said={done}
    >
      {hasReason && (
        <Field label="Reason (optional)" hint="Shown on the trace and sent to webhooks." at="/reason">
          <Textarea
            value={reason}
            onText={setReason}
            onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
              if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit()
            }}
          />
        </Field>
      )}
      <FormEnd submit={confirm} onCancel={onClose} />
    </FormModal>
  )
}
