import { isDuration } from '@spoor/contract/aggregations'
import { isCost } from '@spoor/contract/series-fields'
import { formatCost, formatShare } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import {
  type MonitorDraft,
  toMonitor,
  toThreshold,
  WINDOW_UNITS,
  type WindowUnit,
  type DraftFieldsProps,
} from './monitor-draft.ts'
import { COMPARISON_WORDS, isShare, NO_DATA_WORDS } from '../monitor-words.ts'

export function ConditionFields({ draft, set }: DraftFieldsProps) {
  const number = (field: 'threshold' | 'resolveThreshold' | 'window' | 'minSamples' | 'consecutive') => ({
    inputMode: 'decimal' as const,
    value: draft[field],
    onText: (text: string) => set({ [field]: text }),
  })
  const counts = draft.aggregation === 'count'
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Condition" at="/comparison">
          <Select value={draft.comparison} onChoice={(comparison) => set({ comparison })} options={COMPARISON_WORDS} />
        </Field>
        <Field label="Threshold" at="/threshold" hint={readAs(draft, draft.threshold)}>
          <Input {...number('threshold')} />
        </Field>
        <Field
          label="Resolve threshold"
          at="/resolve_threshold"
          hint={readAs(draft, draft.resolveThreshold) ?? 'Default: the threshold.'}
        >
          <Input {...number('resolveThreshold')} placeholder="same as threshold" />
        </Field>
        <Field label="Window" at="/window_seconds">
          <div className="flex gap-1">
            <Input {...number('window')} />
            <Select
              aria-label="Window unit"
              className="w-20! shrink-0"
              value={draft.windowUnit}
              onChoice={(windowUnit) => set({ windowUnit })}
              options={Object.keys(WINDOW_UNITS) as WindowUnit[]}
            />
          </div>
        </Field>
        <Field label="Consecutive breaches" at="/consecutive" hint="Evaluations in breach before it fires.">
          <Input {...number('consecutive')} />
        </Field>
        {!counts && (
          <Field label="Minimum samples" at="/min_samples" hint="With fewer, the state does not change.">
            <Input {...number('minSamples')} />
          </Field>
        )}
      </div>
      {!counts && (
        <Field label="When no data" at="/no_data">
          <Select value={draft.noData} onChoice={(noData) => set({ noData })} options={NO_DATA_WORDS} />
        </Field>
      )}
    </>
  )
}

function readAs(draft: MonitorDraft, text: string): string | undefined {
  const { source, aggregation } = toMonitor(draft)
  if (isShare({ source, aggregation })) {
    const share = Number(toThreshold(text, true))
    return text === '' || !(share >= 0 && share <= 1)
      ? 'Enter a value from 0 to 1, or from 0% to 100%.'
      : `= ${formatShare(share)}`
  }
  const value = Number(text.replace(',', '.'))
  const isUnread = text === '' || !(value >= 0)
  if (isCost(source.measure)) return isUnread ? 'In US dollars.' : `= ${formatCost(value)}`
  if (!isDuration(source.measure)) return undefined
  return isUnread ? 'In milliseconds.' : `= ${formatDuration(value)}`
}
