import type { TraceId } from '@spoor/contract/ids'
import type { MetricEventPosition, MetricEventQuery } from '../../../ports/metrics/metric-event-store.ts'
import { eventConditions, pointsWithin } from '../series/aggregate-rows.ts'
import { instant, integer, text } from '../engine/literal.ts'
import { minuteOf } from '../rows/stored-time.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Where an event of a list stands, and where its record is. */
export interface FoundMetricEvent extends MetricEventPosition {
  readonly traceId: TraceId
}

/**
 * The first of the events that a list asks for, in its order, those of deleted traces too; at most `limit`, fewer only
 * when there are no more. `now`: milliseconds since 1970 UTC.
 */
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

/** Times in `[from, to)`; null for no bound. */
interface Window {
  readonly from: number | null
  readonly to: number | null
}

const HOUR_MS = 3_600_000
/**
 * Each window is this many times as wide as the one before: seven reach back to the first time that an event may have.
 */
const WIDENING = 8
/** No event is older. */
const EARLIEST_MS = Date.UTC(2000, 0, 1)

/**
 * Of one metric the primary key has the order of the list but for that within a minute, and one trace has few events:
 * there the engine reads little further than the page. All others are looked through by time: the newest hour first,
 * then ever wider windows, so that the cost is that of the page and not of the archive.
 */
function* windows(query: MetricEventQuery, now: number): Generator<Window> {
  const { metricId, traceId, startTime, endTime, after } = query
  if (metricId !== null || traceId !== null) {
    yield { from: startTime, to: endTime }
    return
  }
  const first = startTime ?? EARLIEST_MS
  // Events may be ahead of the clock, above all when it was set back: the first window has no end.
  const newest = Math.min(now, endTime ?? Infinity, after === null ? Infinity : after.at + 1)
  let to = endTime
  for (let width = HOUR_MS, edge = newest - width; edge > first; edge -= width) {
    yield { from: edge, to }
    to = edge
    width *= WIDENING
  }
  yield { from: startTime, to }
}

function statement(query: MetricEventQuery, { from, to }: Window, limit: number): string {
  const { projectId, metricId, traceId, stepId, after } = query
  const conditions = [`project_id = ${text(projectId)}`]
  if (metricId !== null) conditions.push(`metric_id = ${text(metricId)}`)
  if (traceId !== null) conditions.push(`trace_id = ${text(traceId)}`)
  if (stepId !== null) conditions.push(`step_id = ${text(stepId)}`)
  conditions.push(...eventConditions(query))
  // What the filters of series go by is in the one table alone; the other tells where the events of a trace are in it.
  const isNarrowed = query.runType !== null || query.model !== null || query.metadata.length > 0
  if (traceId !== null && isNarrowed) {
    const ofTrace = `project_id = ${text(projectId)} AND trace_id = ${text(traceId)}`
    conditions.push(
      `(metric_id, minute, id) IN (SELECT metric_id, ${minuteOf('at')}, id FROM metric_events WHERE ${ofTrace})`,
    )
  }
  // By its trace an event is found in the one, by its metric or time in the other.
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

/**
 * `leading` is what its primary key has of the order of the list; `within` are conditions for times in `[from, to)`.
 */
interface EventTable {
  readonly name: string
  readonly leading: readonly string[]
  readonly within: (from: number | null, to: number | null) => string[]
}

const POINTS: EventTable = { name: 'metric_points', leading: ['minute'], within: pointsWithin }
const EVENTS: EventTable = {
  name: 'metric_events',
  leading: [],
  within: (from, to) => [
    ...(from === null ? [] : [`at >= ${instant(from)}`]),
    ...(to === null ? [] : [`at < ${instant(to)}`]),
  ],
}
