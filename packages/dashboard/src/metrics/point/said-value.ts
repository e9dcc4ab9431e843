import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { formatValue } from '../../lib/format-number.ts'

/** What an event said, as text to choose by. */
export function saidValue({ passed, value }: Pick<MetricEvent, 'passed' | 'value'>): string {
  return passed === null ? String(value) : passed ? 'passed' : 'failed'
}

/** What events of a metric can be chosen by; nothing for numbers. */
export function valueChoices({ kind, options }: Metric): readonly { readonly value: string; readonly label: string }[] {
  if (kind === 'boolean') {
    return [
      { value: 'passed', label: 'Passed' },
      { value: 'failed', label: 'Failed' },
    ]
  }
  return (options ?? []).map(({ value, label }) => ({ value, label: label ?? value }))
}

/** What an event said, for people. */
export function saidLabel({ passed, value }: Pick<MetricEvent, 'passed' | 'value'>, { unit, options }: Metric): string {
  if (passed !== null) return passed ? 'Passed' : 'Failed'
  if (typeof value === 'number') return unit === null ? formatValue(value) : `${formatValue(value)} ${unit}`
  return options?.find((option) => option.value === value)?.label ?? String(value)
}
