import { useState } from 'react'
import { TRACE_KEYS } from '../../api/client/feed.ts'
import type { Changed } from '../../ui/change-each.ts'
import { Field, Textarea } from '../../ui/field.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'
import type { Mark } from '../../ui/marks.ts'
import type { Change } from '../../ui/use-change-traces.ts'

export type MarkWithReason = Extract<Mark, 'flag' | 'fail' | 'reason'>

const DIALOGS: Readonly<Record<MarkWithReason, { readonly title: string; readonly submit: string }>> = {
  flag: { title: 'Flag this trace', submit: 'Flag' },
  fail: { title: 'Mark this trace failed', submit: 'Mark failed' },
  reason: { title: 'Reason of the flag', submit: 'Save' },
}

interface ReasonDialogProps {
  readonly traceId: string
  readonly mark: MarkWithReason
  /** The reason of the flag. */
  readonly before: string | null
  changeOf(mark: Mark, reason: string | undefined): Change
  onChanged(changed: Changed, change: Change): void
  onClose(): void
}

/** Marks a trace with a reason. */
export function ReasonDialog({ traceId, mark, before, changeOf, onChanged, onClose }: ReasonDialogProps) {
  const { title, submit } = DIALOGS[mark]
  const isAlone = mark === 'reason'
  const [reason, setReason] = useState(isAlone ? (before ?? '') : '')
  return (
    <FormModal
      title={title}
      send={async () => {
        const change = changeOf(mark, isAlone || reason !== '' ? reason : undefined)
        await change.change(traceId)
        return change
      }}
      onClose={onClose}
      onSuccess={(change) => onChanged({ done: [traceId], failed: new Map() }, change)}
      refresh={TRACE_KEYS}
    >
      <Field
        label="Reason"
        hint={isAlone ? 'Shown on the trace.' : 'Shown on the trace and sent to webhooks.'}
        at="/reason"
      >
        <Textarea
          value={reason}
          onText={setReason}
          onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
            if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit()
          }}
        />
      </Field>
      <FormEnd submit={submit} onCancel={onClose} />
    </FormModal>
  )
}
