import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import { nameOfField, type SeriesFieldText } from '@spoor/contract/series-fields'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { DeletedTrace } from '../../../ports/journal/journal.ts'
import { createRates } from '../../../pricing/pricer.ts'
import { metadataTerms } from '../../../traces/rules/terms.ts'
import { PROJECT } from '../../../traces/trace-builders.test-support.ts'
import type { NewMetricEvent, NewStep } from '../../../ports/traces/trace-store.ts'
import type { SeriesGroup } from '../../../ports/traces/explored-series.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { ClickHouseTraceStore } from '../rows/clickhouse-trace-store.ts'
import { printedMetadata, printedModels } from '../rows/trace-row.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'

/** A metric event as the aggregates read it. */
export interface PointRow {
  readonly metricId: MetricId
  readonly at: number
  readonly id: string
  readonly traceId: TraceId
  readonly value: number
  readonly option: string
  readonly source: '' | 'human' | 'code' | 'llm'
  readonly runType: string
  readonly models: readonly string[]
  /** Metadata of the event, and of its trace for keys that it lacks. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A query that all traces of the project pass. */
export const EVERY_TRACE = {
  projectId: PROJECT,
  filters: { ...toTraceFilters('lists', {}), metadata: [] },
  words: null,
  among: null,
  scored: null,
  withoutMetric: null,
  rates: null,
  startTime: null,
  endTime: null,
}

/** A group for which nothing is looked up. */
export async function plainGroup(_projectId: ProjectId, field: SeriesFieldText): Promise<SeriesGroup> {
  const key = nameOfField(field, 'metadata')
  return key === null ? ({ by: field } as SeriesGroup) : { by: 'metadata', key }
}

/** For tests: a store of rows to aggregate, and the dependencies of its aggregates. At most one for each file. */
export async function aggregateWorld() {
  const engine = await temporaryEngine()
  let idLeadMs = 0
  const store = new ClickHouseTraceStore(engine, { idLeadMs: () => idLeadMs })
  const pending: DeletedTrace[] = []
  const removed = new Set<MetricEventId>()
  const waits: string[] = []
  return {
    engine,
    pending,
    /** Removed events whose rows are not purged yet. */
    removed,
    /** One entry for each time that aggregates waited for settled rows. */
    waits,
    dependencies: {
      engine,
      settled: async () => void waits.push('settled'),
      pendingPurges: async (limit: number, withoutExpired: boolean) =>
        pending.filter(({ isExpired }) => !(withoutExpired && isExpired === true)).slice(0, limit),
      removedEvents: async (): Promise<ReadonlySet<MetricEventId>> => removed,
      idLeadMs: () => idLeadMs,
      /** No trace passes filters that are looked up. */
      lookUp: async (): Promise<null> => null,
      lookUpGroup: plainGroup,
      ratesOf: createRates({ own: async () => new Map() }),
    },
    /** From now on, ids may be ahead of creation times by this much. */
    allowLead(leadMs: number) {
      idLeadMs = leadMs
    },
    addPoints: (points: readonly PointRow[]) => addPoints(engine, points),
    /** Each call makes one part of the table. */
    async addTraces(traces: readonly TraceRecord[], steps: readonly NewStep[] = []) {
      await store.insert(rowsOf(traces, steps))
    },
    async addMetricEvents(metricEvents: readonly NewMetricEvent[]) {
      await store.insert(rowsOf([], [], metricEvents))
    },
    /** The trace is deleted, and its rows are not purged yet. */
    async addTombstone(trace: TraceRecord) {
      pending.push({ projectId: trace.projectId, traceId: trace.id })
      await store.insert(rowsOf([{ ...trace, version: trace.version + 1, deleted: true }], []))
    },
    async clear() {
      pending.length = 0
      removed.clear()
      waits.length = 0
      idLeadMs = 0
      for (const table of ['metric_points', 'metric_events', 'traces', 'steps'])
        await engine.command(`TRUNCATE TABLE ${table}`)
    },
  }
}

/** An engine with concurrent changes: `beside` is called before and after each read; a read that it rejects fails. */
export function disturbed(engine: TelemetryEngine, beside: (sql: string) => Promise<void>): TelemetryEngine {
  return {
    select: async (sql) => {
      await beside(sql)
      const found = await engine.select(sql)
      await beside(sql)
      return found
    },
    selectParquet: (sql) => engine.selectParquet(sql),
    command: (sql) => engine.command(sql),
    insert: (table, rows) => engine.insert(table, rows),
    close: () => engine.close(),
  }
}

async function addPoints(engine: TelemetryEngine, points: readonly PointRow[]): Promise<void> {
  if (points.length === 0) return
  const lines = points.map((point) => ({
    project_id: PROJECT,
    metric_id: point.metricId,
    at: point.at,
    id: point.id,
    trace_id: point.traceId,
    ver: 1,
    value: point.value,
    option: point.option,
    source: point.source,
    run_type: point.runType,
    models: JSON.parse(printedModels(point.models)) as unknown,
    meta: JSON.parse(printedMetadata(metadataTerms(Buffer.from(JSON.stringify(point.metadata))))) as unknown,
  }))
  await engine.insert('metric_points', Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
  const byTrace = lines.map(({ project_id, trace_id, id }) => `${JSON.stringify({ project_id, trace_id, id })}\n`)
  await engine.insert('metric_events', Buffer.from(byTrace.join('')))
}
