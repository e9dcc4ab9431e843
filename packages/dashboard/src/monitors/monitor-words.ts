import { AGGREGATIONS, isDuration } from '@spoor/contract/aggregations'
import { isCost, SERIES_MEASURES } from '@spoor/contract/series-fields'
import type { Monitor, MonitorPreviewResult, MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'
import { groupFieldLabel } from '../explore/groups.ts'
import { formatCost, formatShare, formatValue } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'

export const COMPARISONS: Readonly<Record<Monitor['comparison'], string>> = { gt: '>', gte: '≥', lt: '<', lte: '≤' }

export const COMPARISON_WORDS: Readonly<Record<Monitor['comparison'], string>> = {
  gt: 'above',
  gte: 'at or above',
  lt: 'below',
  lte: 'at or below',
}

export const NO_DATA_WORDS = { hold: 'keep the state', ok: 'treat as OK', fire: 'treat as a breach' } as const

/** Whether the value lies between 0 and 1. */
export function isShare({ source, aggregation }: Pick<Monitor, 'source' | 'aggregation'>): boolean {
  if (AGGREGATIONS[aggregation].result === 'share') return true
  return source.measure === 'error_rate' && aggregation === 'avg'
}

/** A value or threshold of a monitor in a readable unit. */
export function formatMonitorValue(monitor: Pick<Monitor, 'source' | 'aggregation'>, value: number): string {
  if (isShare(monitor)) return formatShare(value)
  // Durations and costs are never negative, but an axis may be.
  if (isDuration(monitor.source.measure) && value >= 0) return formatDuration(value)
  if (isCost(monitor.source.measure) && value >= 0) return formatCost(value)
  return formatValue(value)
}

/** The last value; of a monitor with groups how many of them have fired. */
export function lastValueWords(monitor: Pick<Monitor, 'source' | 'aggregation' | 'groups' | 'last_value'>): string {
  const { groups, last_value: value } = monitor
  if (groups !== undefined) {
    return `${groups.filter(({ state }) => state === 'fired').length} of ${groups.length} fired`
  }
  return value === null ? '–' : formatMonitorValue(monitor, value)
}

/** The source: "pass rate of solved", "95th percentile of the duration of traces". */
export function sourceWords({ source, aggregation }: Pick<Monitor, 'source' | 'aggregation'>): string {
  if (source.kind === 'metric') {
    if (aggregation === 'count') return `events of ${source.metric ?? ''}`
    const of = aggregation === 'share' ? `${source.option ?? ''} in ${source.metric ?? ''}` : (source.metric ?? '')
    return `${AGGREGATIONS[aggregation].label} of ${of}`
  }
  const measure = source.measure ?? 'count'
  const rows = source.kind
  if (measure === 'count') return rows === 'steps' ? 'step count' : 'trace count'
  if (measure === 'error_rate') return aggregation === 'sum' ? `failed ${rows}` : `error rate of ${rows}`
  return `${AGGREGATIONS[aggregation].label} of the ${SERIES_MEASURES[measure].label.toLowerCase()} of ${rows}`
}

/** The whole condition: "pass rate of solved < 50% over 1 h". */
export function conditionWords(
  monitor: Pick<Monitor, 'source' | 'aggregation' | 'comparison' | 'threshold' | 'window_seconds' | 'for_each'>,
): string {
  const value = formatMonitorValue(monitor, monitor.threshold)
  const window = formatDuration(monitor.window_seconds * 1000)
  const each = monitor.for_each === null ? '' : `, for each ${forEachLabel(monitor.for_each)}`
  return `${sourceWords(monitor)} ${COMPARISONS[monitor.comparison]} ${value} over ${window}${each}`
}

/** "tool", "run type", "version" of the metadata. */
export const forEachLabel = (field: string) => groupFieldLabel('steps', field)

/** The same as a heading. */
export function forEachTitle(field: string): string {
  const label = forEachLabel(field)
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** Filters as "run_type: agent". */
export function filterWords({ filters }: Pick<Monitor, 'filters'>): string[] {
  const { metadata = {}, ...fields } = filters
  return [
    ...Object.entries(fields).flatMap(([name, value]): readonly string[] =>
      typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value).map(([key, each]) => `${name}.${key}: ${String(each)}`)
        : [`${name}: ${String(value)}`],
    ),
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
  const last = evaluations.at(-1)?.at
  const isFired = evaluations.some(({ at, state }) => at === last && state === 'fired')
  const still = isFired ? ', and would be firing now' : ''
  return `Would have fired ${times}, for ${formatDuration(totalMs)} in total${still}.`
}

/**
 * The periods in which a monitor, or a group of it, was firing, from its state changes, the oldest first. A current one
 * ends at `end`.
 */
export function firedTimes(
  changes: readonly Pick<MonitorHistoryEntry, 'at' | 'to' | 'group'>[],
  end: number,
): { from: number; to: number }[] {
  return [...Map.groupBy(changes, ({ group }) => group).values()].flatMap((ofGroup) =>
    ofGroup.flatMap(({ at, to }, index) => {
      const next = ofGroup[index + 1]
      return to === 'fired' ? [{ from: Date.parse(at), to: next === undefined ? end : Date.parse(next.at) }] : []
    }),
  )
}

/** Whether the history, newest first, lacks the monitor's latest state change. */
export function historyIsBehind(
  { state, state_since }: Pick<Monitor, 'state' | 'state_since'>,
  entries: readonly Pick<MonitorHistoryEntry, 'to' | 'at' | 'group'>[],
): boolean {
  const [newest] = entries
  if (newest === undefined) return state === 'fired'
  return (newest.to !== state || newest.group !== null) && Date.parse(newest.at) < Date.parse(state_since)
}
