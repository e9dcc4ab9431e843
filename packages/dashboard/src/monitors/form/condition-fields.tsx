import { formatShare } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import { type MonitorDraft, toMonitor, toThreshold, WINDOW_UNITS, type WindowUnit } from './monitor-draft.ts'
import type { DraftFieldsProps } from './draft-fields.ts'
import { COMPARISON_WORDS, isShare } from '../monitor-words.ts'

/** Conditions for firing and resolving. */
export function ConditionFields({ draft, set, errorOf }: DraftFieldsProps) {
  const number = (field: 'threshold' | 'resolveThreshold' | 'minSamples' | 'consecutive', placeholder = '') => ({
    inputMode: 'decimal' as const,
    placeholder,
    value: draft[field],
    onChange: ({ target }: { target: { value: string } }) => set({ [field]: target.value }),
  })
  const counts = draft.aggregation === 'count'
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Condition" error={errorOf('/comparison')}>
          {(props) => (
            <Select
              {...props}
              value={draft.comparison}
              onChange={({ target }) => set({ comparison: target.value as MonitorDraft['comparison'] })}
            >
              {Object.entries(COMPARISON_WORDS).map(([comparison, words]) => (
                <option key={comparison} value={comparison}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Threshold" error={errorOf('/threshold')} hint={readAs(draft, draft.threshold)}>
          {(props) => <Input {...props} {...number('threshold')} />}
        </Field>
        <Field
          label="Resolve threshold"
          error={errorOf('/resolve_threshold')}
          hint={readAs(draft, draft.resolveThreshold) ?? 'Default: the threshold.'}
        >
          {(props) => <Input {...props} {...number('resolveThreshold', 'same as threshold')} />}
        </Field>
        <Field label="Window" error={errorOf('/window_seconds')}>
          {(props) => (
            <div className="flex gap-1">
              <Input
                {...props}
                inputMode="decimal"
                value={draft.window}
                onChange={({ target }) => set({ window: target.value })}
              />
              <Select
                aria-label="Window unit"
                className="w-20! shrink-0"
                value={draft.windowUnit}
                onChange={({ target }) => set({ windowUnit: target.value as WindowUnit })}
              >
                {Object.keys(WINDOW_UNITS).map((unit) => (
                  <option key={unit} value={unit}>
                    {unit}
                  </option>
                ))}
              </Select>
            </div>
          )}
        </Field>
        <Field
          label="Consecutive breaches"
          error={errorOf('/consecutive')}
          hint="Evaluations in breach before it fires."
        >
          {(props) => <Input {...props} {...number('consecutive')} />}
        </Field>
        {!counts && (
          <Field label="Minimum samples" error={errorOf('/min_samples')} hint="With fewer, the state does not change.">
            {(props) => <Input {...props} {...number('minSamples')} />}
          </Field>
        )}
      </div>
      {!counts && (
        <Field label="When no data" error={errorOf('/no_data')}>
          {(props) => (
            <Select
              {...props}
              value={draft.noData}
              onChange={({ target }) => set({ noData: target.value as MonitorDraft['noData'] })}
            >
              <option value="hold">keep the state</option>
              <option value="ok">treat as OK</option>
              <option value="fire">treat as a breach</option>
            </Select>
          )}
        </Field>
      )}
    </>
  )
}

/** The threshold in a readable unit. */
function readAs(draft: MonitorDraft, text: string): string | undefined {
  const { source, aggregation } = toMonitor(draft)
  if (isShare({ source, aggregation })) {
    const share = Number(toThreshold(text, true))
    return text === '' || !(share >= 0 && share <= 1)
      ? 'Enter a value from 0 to 1, or from 0% to 100%.'
      : `= ${formatShare(share)}`
  }
  const value = Number(text.replace(',', '.'))
  if (source.measure !== 'duration_ms') return undefined
  return text === '' || !(value >= 0) ? 'In milliseconds.' : `= ${formatDuration(value)}`
}
