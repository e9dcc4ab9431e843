import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { ScoredBy } from '../../../ports/metrics/scored-by.ts'
import { notRemoved, scoreConditions } from './score-conditions.ts'
import type { MetricEventRecord } from '../../../ports/journal/metric-event.ts'
import type { LatestValue, MetricEventQuery, MetricEventStore } from '../../../ports/metrics/metric-event-store.ts'
import type { IdBounds } from '../../../ports/traces/trace-store.ts'
import { pointsWithin } from '../series/aggregate-rows.ts'
import { instant, integer, text, texts } from '../engine/literal.ts'
import { timeOfId } from '../../../lib/ids/ids.ts'
import type { FoundMetricEvent, SettledMetricEvents } from '../../recent/settled-rows.ts'
import { findPlaces } from '../feed/metric-event-places.ts'
import { METRIC_EVENT_COLUMNS, METRIC_VALUE_JSON, readLatestValue, readMetricEventRow } from './metric-event-row.ts'
import { missingMetricEvents } from './missing-rows.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Records named in one query to the engine, which accepts 256 KB of SQL. */
const RECORDS_PER_READ = 1000

const NEAR_MS = 24 * 3_600_000

/** The settled rows of the tables of metric events, embedded or on a server. Reads include rows of deleted traces. */
export class ClickHouseMetricEvents implements SettledMetricEvents {
  readonly #engine: TelemetryEngine

  constructor(engine: TelemetryEngine) {
    this.#engine = engine
  }

  /**
   * Durable and readable when it resolves. When it rejects, any part may be stored; `insertMissing` adds the rest.
   * `batch`: see TelemetryEngine.insert.
   */
  async insert(rows: Buffer, batch?: string): Promise<void> {
    if (rows.length === 0) return
    await this.#engine.insert('metric_events', rows, batch)
    await this.#engine.insert('metric_points', rows, batch)
  }

  /** Inserts the rows with versions from `from` through `through` that are not stored yet. */
  async insertMissing(rows: Buffer, from: number, through: number): Promise<void> {
    if (rows.length === 0) return
    for (const table of ['metric_events', 'metric_points']) {
      const there = await this.#engine.select(
        `SELECT id FROM ${table} WHERE ver >= ${integer(from)} AND ver <= ${integer(through)}`,
      )
      const missing = missingMetricEvents(rows, new Set(there.map(([id]) => id as string)))
      if (missing.length > 0) await this.#engine.insert(table, missing)
    }
  }

  async findPlace(projectId: ProjectId, id: MetricEventId): Promise<Pick<FoundMetricEvent, 'traceId' | 'id'> | null> {
    // The time of the id is that of the event, to within the lead of the clock: other rows need no comparison of ids.
    const time = timeOfId(id)
    const near = [`created_at <= ${instant(time)}`, `created_at > ${instant(time - NEAR_MS)}`]
    for (const bounds of [near, []]) {
      const conditions = [`project_id = ${text(projectId)}`, ...bounds, `id = ${text(id)}`].join(' AND ')
      const [row] = await this.#engine.select(`SELECT trace_id FROM metric_events WHERE ${conditions} LIMIT 1`)
      if (row !== undefined) return { traceId: row[0] as TraceId, id }
    }
    return null
  }

  findPlaces(query: MetricEventQuery, now: number): Promise<FoundMetricEvent[]> {
    return findPlaces(this.#engine, query, now)
  }

  async findRecords(
    projectId: ProjectId,
    places: readonly Pick<FoundMetricEvent, 'traceId' | 'id'>[],
  ): Promise<MetricEventRecord[]> {
    const records: MetricEventRecord[] = []
    for (let from = 0; from < places.length; from += RECORDS_PER_READ) {
      const part = places.slice(from, from + RECORDS_PER_READ)
      const rows = await this.#engine.select(
        `SELECT ${METRIC_EVENT_COLUMNS} FROM metric_events WHERE project_id = ${text(projectId)} ` +
          `AND (trace_id, id) IN (${part.map(({ traceId, id }) => `(${text(traceId)}, ${text(id)})`).join(', ')})`,
      )
      for (const row of rows) records.push(readMetricEventRow(row))
    }
    return records
  }

  /** See TraceReads. */
  async findScored(projectId: ProjectId, by: ScoredBy, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    const found = new Set<TraceId>()
    for (let from = 0; from < traceIds.length; from += RECORDS_PER_READ) {
      const rows = await this.#engine.select(
        `SELECT DISTINCT trace_id FROM metric_events WHERE project_id = ${text(projectId)} ` +
          `AND trace_id IN (${texts(traceIds.slice(from, from + RECORDS_PER_READ))}) AND ${scoreConditions(by).join(' AND ')}`,
      )
      for (const [id] of rows) found.add(id as TraceId)
    }
    return found
  }

  /** See TraceReads. */
  async findScoredBounds(projectId: ProjectId, { metricId, startTime, endTime }: ScoredBy): Promise<IdBounds | null> {
    const conditions = [
      `project_id = ${text(projectId)}`,
      ...(metricId === null ? [] : [`metric_id = ${text(metricId)}`]),
      // Of expired traces the numbers stay, but no events.
      "trace_id != ''",
      ...pointsWithin(startTime, endTime),
    ]
    const [bounds] = await this.#engine.select(
      `SELECT min(trace_id), max(trace_id) FROM metric_points WHERE ${conditions.join(' AND ')}`,
    )
    const [lowestId, highestId] = bounds as readonly [TraceId | '', TraceId | '']
    return lowestId === '' || highestId === '' ? null : { lowestId, highestId }
  }

  async latestOf(
    projectId: ProjectId,
    metricIds: readonly MetricId[],
    traceIds: readonly TraceId[],
    without: ReadonlySet<MetricEventId>,
  ): Promise<LatestValue[]> {
    const found: LatestValue[] = []
    if (metricIds.length === 0) return found
    for (let from = 0; from < traceIds.length; from += RECORDS_PER_READ) {
      const rows = await this.#engine.select(
        `SELECT trace_id, metric_id, argMax((toUnixTimestamp64Milli(at), id, ${METRIC_VALUE_JSON}), (at, id)) ` +
          `FROM metric_events WHERE project_id = ${text(projectId)} ` +
          `AND trace_id IN (${texts(traceIds.slice(from, from + RECORDS_PER_READ))}) ` +
          `AND ${[`metric_id IN (${texts(metricIds)})`, ...notRemoved(without)].join(' AND ')} GROUP BY trace_id, metric_id`,
      )
      for (const row of rows) found.push(readLatestValue(row))
    }
    return found
  }

  async findByTraces(query: Parameters<MetricEventStore['findByTraces']>[0]): Promise<MetricEventRecord[]> {
    const { projectId, traceIds, after, limit } = query
    if (traceIds.length === 0) return []
    const behind = after === null ? '' : ` AND id > ${text(after)}`
    const rows = await this.#engine.select(
      `SELECT ${METRIC_EVENT_COLUMNS} FROM metric_events ` +
        `WHERE project_id = ${text(projectId)} AND trace_id IN (${texts(traceIds)})${behind} ` +
        // In the order of the key and with a limit, so that not all events of a trace are read for some of them.
        `ORDER BY project_id, trace_id, id LIMIT ${integer(limit)} BY trace_id LIMIT ${integer(limit * traceIds.length)}`,
    )
    return rows.map(readMetricEventRow)
  }
}
