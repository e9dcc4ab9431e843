import { AGGREGATIONS } from '@spoor/contract/aggregations'
import type { Monitor, MonitorPreviewResult, MonitorSource, MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'
import { formatShare, formatValue } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'

type Measure = NonNullable<MonitorSource['measure']>

export const COMPARISONS: Readonly<Record<Monitor['comparison'], string>> = { gt: '>', gte: '≥', lt: '<', lte: '≤' }

export const COMPARISON_WORDS: Readonly<Record<Monitor['comparison'], string>> = {
  gt: 'above',
  gte: 'at or above',
  lt: 'below',
  lte: 'at or below',
}

export const NO_DATA_WORDS = { hold: 'keep the state', ok: 'treat as OK', fire: 'treat as a breach' } as const

const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  count: 'traces',
  error_rate: 'error rate of traces',
  recovered_errors: 'recovered errors of traces',
  duration_ms: 'duration of traces',
  total_tokens: 'tokens of traces',
  wasted_tokens: 'wasted tokens of traces',
}

/** Whether the value lies between 0 and 1. */
export function isShare({ source, aggregation }: Pick<Monitor, 'source' | 'aggregation'>): boolean {
  if (AGGREGATIONS[aggregation].result === 'share') return true
  return source.measure === 'error_rate' && aggregation === 'avg'
}

/** A value or threshold of a monitor in a readable unit. */
export function formatMonitorValue(monitor: Pick<Monitor, 'source' | 'aggregation'>, value: number): string {
  if (isShare(monitor)) return formatShare(value)
  // Durations are never negative, but an axis may be.
  if (monitor.source.measure === 'duration_ms' && value >= 0) return formatDuration(value)
  return formatValue(value)
}

/** The source: "pass rate of solved", "95th percentile of the duration of traces". */
export function sourceWords({ source, aggregation }: Pick<Monitor, 'source' | 'aggregation'>): string {
  if (source.kind === 'metric') {
    if (aggregation === 'count') return `events of ${source.metric ?? ''}`
    const of = aggregation === 'share' ? `${source.option ?? ''} in ${source.metric ?? ''}` : (source.metric ?? '')
    return `${AGGREGATIONS[aggregation].label} of ${of}`
  }
  const measure = source.measure ?? 'count'
  if (measure === 'count') return 'trace count'
  if (measure === 'error_rate') return aggregation === 'sum' ? 'failed traces' : MEASURE_WORDS.error_rate
  return `${AGGREGATIONS[aggregation].label} of the ${MEASURE_WORDS[measure]}`
}

/** The whole condition: "pass rate of solved < 50% over 1 h". */
export function conditionWords(
  monitor: Pick<Monitor, 'source' | 'aggregation' | 'comparison' | 'threshold' | 'window_seconds'>,
): string {
  const value = formatMonitorValue(monitor, monitor.threshold)
  const window = formatDuration(monitor.window_seconds * 1000)
  return `${sourceWords(monitor)} ${COMPARISONS[monitor.comparison]} ${value} over ${window}`
}

/** Filters as "run_type: agent". */
export function filterWords({ filters }: Pick<Monitor, 'filters'>): string[] {
  const { metadata = {}, ...fields } = filters
  return [
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(metadata).map(([key, value]) => `${key}: ${value === null ? 'any' : JSON.stringify(value)}`),
  ]
}

/** The periods of firing; the last may be open. */
export function firings({ evaluations, transitions }: MonitorPreviewResult): { from: number; to: number }[] {
  return firedTimes(transitions, Date.parse(evaluations.at(-1)?.at ?? ''))
}

/** "Would have fired 3 times, for 2 h 4 min in total." */
export function previewSentence(result: MonitorPreviewResult): string {
  const { evaluations } = result
  if (evaluations.every(({ samples }) => samples === 0)) return 'No data in this range.'
  const fired = firings(result)
  if (fired.length === 0) return 'Would not have fired.'
  const totalMs = fired.reduce((sum, { from, to }) => sum + to - from, 0)
  const times = fired.length === 1 ? 'once' : fired.length === 2 ? 'twice' : `${fired.length} times`
  const still = evaluations.at(-1)?.state === 'fired' ? ', and would be firing now' : ''
  return `Would have fired ${times}, for ${formatDuration(totalMs)} in total${still}.`
}

/** The periods in which a monitor was firing, from its state changes, the oldest first. A current one ends at `end`. */
export function firedTimes(
  changes: readonly Pick<MonitorHistoryEntry, 'at' | 'to'>[],
  end: number,
): { from: number; to: number }[] {
  return changes.flatMap(({ at, to }, index) => {
    const next = changes[index + 1]
    return to === 'fired' ? [{ from: Date.parse(at), to: next === undefined ? end : Date.parse(next.at) }] : []
  })
}

/** Whether the history, newest first, lacks the monitor's latest state change. */
export function historyIsBehind(
  { state, state_since }: Pick<Monitor, 'state' | 'state_since'>,
  entries: readonly Pick<MonitorHistoryEntry, 'to' | 'at'>[],
): boolean {
  const [newest] = entries
  if (newest === undefined) return state === 'fired'
  return newest.to !== state && Date.parse(newest.at) < Date.parse(state_since)
}
