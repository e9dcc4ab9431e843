import type { TraceId } from '@spoor/contract/ids'
import { filtersTakenBy, filterValue } from '@spoor/contract/trace-filters'
import type { MetricEventQuery } from '../../../ports/metrics/metric-event-store.ts'
import type { FoundMetricEvent } from '../../recent/settled-rows.ts'
import { eventConditions, pointsWithin } from '../series/aggregate-rows.ts'
import { instant, integer, text } from '../engine/literal.ts'
import { minuteOf } from '../rows/stored-time.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** See SettledMetricEvents. */
export async function findPlaces(
  engine: TelemetryEngine,
  query: MetricEventQuery,
  now: number,
): Promise<FoundMetricEvent[]> {
  const places: FoundMetricEvent[] = []
  for (const window of windows(query, now)) {
    const rows = await engine.select(statement(query, window, query.limit - places.length))
    for (const [at, id, traceId] of rows as readonly [number, FoundMetricEvent['id'], TraceId][])
      places.push({ at, id, traceId })
    if (places.length >= query.limit) break
  }
  return places
}

/** Times in `[from, to)`; null: no bound. */
interface Window {
  readonly from: number | null
  readonly to: number | null
}

const HOUR_MS = 3_600_000
/** Each window is this many times as wide as the one before: seven reach back to the earliest possible event. */
const WIDENING = 8
/** No event is older. */
const EARLIEST_MS = Date.UTC(2000, 0, 1)

/**
 * For one metric, the primary key has the order of the list except within a minute, and one trace has few events: the
 * engine reads little more than the page. All other lists are searched by time: the newest hour first, then ever wider
 * windows, so that the cost depends on the page and not on the archive.
 */
function* windows(query: MetricEventQuery, now: number): Generator<Window> {
  const { metricId, traceId, startTime, endTime, after } = query
  if (metricId !== null || traceId !== null) {
    yield { from: startTime, to: endTime }
    return
  }
  const first = startTime ?? EARLIEST_MS
  // Events may be ahead of the clock, for example after it was set back, so the first window has no end.
  const newest = Math.min(now, endTime ?? Infinity, after === null ? Infinity : after.at + 1)
  let to = endTime
  for (let width = HOUR_MS, edge = newest - width; edge > first; edge -= width) {
    yield { from: edge, to }
    to = edge
    width *= WIDENING
  }
  yield { from: startTime, to }
}

const OF_TRACE = filtersTakenBy('events')

function statement(query: MetricEventQuery, { from, to }: Window, limit: number): string {
  const { projectId, metricId, traceId, stepId, after } = query
  const conditions = [`project_id = ${text(projectId)}`]
  if (metricId !== null) conditions.push(`metric_id = ${text(metricId)}`)
  if (traceId !== null) conditions.push(`trace_id = ${text(traceId)}`)
  if (stepId !== null) conditions.push(`step_id = ${text(stepId)}`)
  conditions.push(...eventConditions(query))
  // The columns for these filters are in `metric_points` only. `metric_events`, ordered by trace, gives the keys of the
  // trace's events in it.
  const isNarrowed = OF_TRACE.some((name) => filterValue(query, name) !== null) || query.metadata.length > 0
  if (traceId !== null && isNarrowed) {
    const ofTrace = `project_id = ${text(projectId)} AND trace_id = ${text(traceId)}`
    conditions.push(
      `(metric_id, minute, id) IN (SELECT metric_id, ${minuteOf('at')}, id FROM metric_events WHERE ${ofTrace})`,
    )
  }
  // One table finds an event by its trace, the other by its metric or time.
  const table = traceId === null || isNarrowed ? POINTS : EVENTS
  conditions.push(...table.within(from, to))
  if (after !== null) {
    const at = instant(after.at)
    conditions.push(...table.within(null, after.at + 1), `(at < ${at} OR id < ${text(after.id)})`)
  }
  return (
    `SELECT toUnixTimestamp64Milli(at) AS ms, id, trace_id FROM ${table.name} WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY ${[...table.leading, `${table.name}.at`].map((column) => `${column} DESC`).join(', ')}, id DESC LIMIT ${integer(limit)}`
  )
}

/** `leading`: the part of the list's order that the primary key has. `within`: conditions for times in `[from, to)`. */
interface EventTable {
  readonly name: string
  readonly leading: readonly string[]
  readonly within: (from: number | null, to: number | null) => string[]
}

const POINTS: EventTable = {
  name: 'metric_points',
  leading: ['minute'],
  // Of expired traces the numbers stay, but no events.
  within: (from, to) => ["trace_id != ''", ...pointsWithin(from, to)],
}
const EVENTS: EventTable = {
  name: 'metric_events',
  leading: [],
  within: (from, to) => [
    ...(from === null ? [] : [`at >= ${instant(from)}`]),
    ...(to === null ? [] : [`at < ${instant(to)}`]),
  ],
}
