import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'

export type ScoreValue = Pick<MetricEventBody, 'passed' | 'value'>

export interface ScoreChoice {
  /** A digit; null for a choice beyond the ninth. */
  readonly key: string | null
  readonly label: string
  readonly value: ScoreValue
}

/** The values of a metric that are chosen by a key; none for numbers. */
export function scoreChoices({ kind, options }: Metric): readonly ScoreChoice[] {
  const values: readonly Omit<ScoreChoice, 'key'>[] =
    kind === 'boolean'
      ? [
          { label: 'Passed', value: { passed: true } },
          { label: 'Failed', value: { passed: false } },
        ]
      : (options ?? []).map(({ value, label }) => ({ label: label ?? value, value: { value } }))
  return values.map(({ label, value }, index) => ({ key: index < 9 ? String(index + 1) : null, label, value }))
}

/** A typed number; null if it is none. A comma is a decimal point. */
export function toNumber(text: string): number | null {
  const typed = text.trim().replace(',', '.')
  const number = Number(typed)
  return typed === '' || !Number.isFinite(number) ? null : number
}

/** What may be typed for a numeric metric: "0 to 10 points". */
export function rangeHint({ min, max, unit }: Metric): string {
  const range =
    min !== null && max !== null
      ? `${min} to ${max}`
      : min !== null
        ? `at least ${min}`
        : max !== null
          ? `at most ${max}`
          : ''
  return [range, unit ?? ''].filter((part) => part !== '').join(' ')
}

/** The value of an event as text. */
export function eventValue({ passed, value }: Pick<MetricEvent, 'passed' | 'value'>): string {
  return passed === null ? String(value) : passed ? 'passed' : 'failed'
}
