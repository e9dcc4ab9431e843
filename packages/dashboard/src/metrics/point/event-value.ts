import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { formatValue } from '../../lib/format-number.ts'

/** Filter choices for a metric's values; none for numbers. */
export function valueChoices({ kind, options }: Metric): readonly { readonly value: string; readonly label: string }[] {
  if (kind === 'boolean') {
    return [
      { value: 'passed', label: 'Passed' },
      { value: 'failed', label: 'Failed' },
    ]
  }
  return (options ?? []).map(({ value, label }) => ({ value, label: label ?? value }))
}

export function eventLabel(
  { passed, value }: Pick<MetricEvent, 'passed' | 'value'>,
  { unit, options }: Metric,
): string {
  if (passed !== null) return passed ? 'Passed' : 'Failed'
  if (typeof value === 'number') return unit === null ? formatValue(value) : `${formatValue(value)} ${unit}`
  return options?.find((option) => option.value === value)?.label ?? String(value)
}
