import type { RemovalMark } from '../../../ports/journal/journal.ts'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { ScoredBy } from '../../../ports/metrics/scored-by.ts'
import type { StepHead, StepRecord } from '../../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  FIRST_STEPS,
  HIT_TEXT_BYTES,
  type IdBounds,
  type OpenedTrace,
  type StepHit,
  type StepPlace,
  type StepRange,
  type StoredTrace,
} from '../../../ports/traces/trace-store.ts'
import { ClickHouseMetricEvents } from './clickhouse-metric-events.ts'
import { prefixOf } from '../../../traces/rules/search-text.ts'
import { hasWords } from '../feed/word-conditions.ts'
import { findFeedCandidates } from '../feed/feed-candidates.ts'
import { createdWithin, integer, text, texts } from '../engine/literal.ts'
import { missingSteps, missingTraces } from './missing-rows.ts'
import type { Marks, Timeline } from '../../cluster/timeline.ts'
import type { RowBytes, SharedRows } from '../../recent/settled-rows.ts'
import { BETWEEN_TEXTS } from './cut-body.ts'
import { readStepHead, readStepRow, STEP_COLUMNS } from './step-row.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { type InsertCheck, UNCHECKED_INSERTS } from '../parts/torn-inserts.ts'
import { ShardsPurge } from './shards-purge.ts'
import { TracePurge } from './trace-purge.ts'
import { readTraceRow, TRACE_COLUMNS } from './trace-row.ts'

export interface TraceStoreOptions {
  /** See Journal. */
  readonly idLeadMs: () => number
  readonly inserts: InsertCheck
  /** See TelemetryDialect. */
  readonly catchUp: (table: string) => string | null
  /** See PreparedServer. */
  readonly shards: readonly TelemetryEngine[]
}

/** The settled rows of the tables of traces, steps and metric events, embedded or on a server. */
export class ClickHouseTraceStore implements SharedRows {
  readonly #engine: TelemetryEngine
  readonly #metricEvents: ClickHouseMetricEvents
  readonly #options: TraceStoreOptions
  readonly #purge: ShardsPurge

  constructor(
    engine: TelemetryEngine,
    {
      idLeadMs = () => 0,
      inserts = UNCHECKED_INSERTS,
      catchUp = () => null,
      shards = [engine],
    }: Partial<TraceStoreOptions> = {},
  ) {
    this.#engine = engine
    this.#options = { idLeadMs, inserts, catchUp, shards }
    this.#metricEvents = new ClickHouseMetricEvents(engine)
    this.#purge = new ShardsPurge(shards.map((shard) => new TracePurge(shard)))
  }

  /** Call it at the start, while there is space, so that deletions need none later. */
  async preparePurge(): Promise<void> {
    await this.#purge.prepare()
  }

  async insert(rows: RowBytes, batch?: string): Promise<void> {
    await this.#checked(async () => {
      await this.#insert(rows, batch)
      await this.#metricEvents.insert(rows.metricEvents, batch)
    })
  }

  async insertMissing(rows: RowBytes, from: number, through: number): Promise<void> {
    await this.#checked(async () => {
      if (rows.steps.length > 0 || rows.traces.length > 0) await this.#insertMissing(rows, from, through)
      await this.#metricEvents.insertMissing(rows.metricEvents, from, through)
    })
  }

  async #checked(insert: () => Promise<void>): Promise<void> {
    const { inserts } = this.#options
    await inserts.begin()
    try {
      await insert()
      await inserts.end()
    } catch (error) {
      await inserts.clear().catch((second: unknown) => {
        throw new AggregateError([error, second], 'an insert failed, and so did clearing what it left', {
          cause: error,
        })
      })
      throw error
    }
  }

  async #insertMissing(rows: RowBytes, from: number, through: number): Promise<void> {
    const versions = `ver >= ${integer(from)} AND ver <= ${integer(through)}`
    const [steps, traces] = await Promise.all([
      this.#engine.select(`SELECT trace_id, position, ver FROM steps WHERE ${versions}`),
      this.#engine.select(`SELECT id, max(ver) FROM traces WHERE ${versions} GROUP BY id`),
    ])
    await this.#insert({
      steps: missingSteps(
        rows.steps,
        new Set(
          steps.map(
            ([traceId, position, version]) => `${traceId as string} ${position as number} ${version as number}`,
          ),
        ),
      ),
      traces: missingTraces(rows.traces, new Map(traces.map(([id, version]) => [id as string, version as number]))),
    })
  }

  async #insert({ traces, steps }: Pick<RowBytes, 'traces' | 'steps'>, batch?: string): Promise<void> {
    // One after the other: in parallel they would take as long and both cores.
    if (steps.length > 0) await this.#engine.insert('steps', steps, batch)
    if (traces.length > 0) await this.#engine.insert('traces', traces, batch)
  }

  async markSettled(timeline: Timeline, through: number, batch: string): Promise<void> {
    const mark = Buffer.from(`${JSON.stringify({ log: timeline, ver: through })}\n`)
    await Promise.all(this.#options.shards.map((shard) => shard.insert('settled_batches', mark, batch)))
  }

  async settledThrough(timeline: Timeline): Promise<number> {
    // Each shard has a mark, so that one that lost rows, or was restored from an older backup, is noticed.
    const through = Math.min(...(await this.marks()).map((of) => of.get(timeline) ?? 0))
    // Replicas copy each table by itself: the mark may be here before the rows.
    for (const table of ['steps', 'traces', 'metric_events', 'metric_points']) {
      const catchUp = this.#options.catchUp(table)
      if (catchUp !== null) await this.#engine.command(catchUp)
    }
    return through
  }

  async marks(): Promise<Marks> {
    const sql = 'SELECT log, max(ver) FROM settled_batches GROUP BY log'
    const marks = await Promise.all(this.#options.shards.map((shard) => shard.select(sql)))
    return marks.map((rows) => new Map(rows.map(([log, ver]) => [log as Timeline, ver as number])))
  }

  async newestVersions(traces: readonly StoredTrace[]): Promise<Map<TraceId, number>> {
    const newest = new Map<TraceId, number>()
    for (const [projectId, ofProject] of Map.groupBy(traces, (trace) => trace.projectId)) {
      const ids = texts(ofProject.map(({ traceId }) => traceId))
      const rows = await this.#engine.select(
        `SELECT id, max(ver) FROM traces WHERE project_id = ${text(projectId)} AND id IN (${ids}) GROUP BY id`,
      )
      for (const [id, version] of rows) newest.set(id as TraceId, version as number)
    }
    return newest
  }

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    if (ids.length === 0) return []
    // Bounds on the creation time would cost more than the parts that they skip: the key skips the same ones.
    const among = ids.length === 1 ? `= ${text(ids[0] as TraceId)}` : `IN (${texts(ids)})`
    const rows = await this.#engine.select(
      `SELECT ${TRACE_COLUMNS} FROM traces PREWHERE project_id = ${text(projectId)} AND id ${among}`,
    )
    return newestOf(rows, atVersion).map(readTraceRow)
  }

  /** The key begins with the project: the time finds the partition, and there the key skips most rows of a project. */
  async findTaken(ids: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    if (ids.length === 0) return new Set()
    const [lowest, highest] = [ids.reduce(lesser), ids.reduce(greater)]
    const within = createdWithin('created_at', lowest, highest, this.#options.idLeadMs())
    const rows = await this.#engine.select(`SELECT DISTINCT id FROM traces WHERE id IN (${texts(ids)}) AND ${within}`)
    return new Set(rows.map(([id]) => id as TraceId))
  }

  /** One query, because each extra one costs as much as its data. */
  async openTrace(projectId: ProjectId, traceId: TraceId, atVersion: number): Promise<OpenedTrace> {
    const rows = await this.#engine.select(
      `SELECT 0 AS place, ver, record, metadata, '' FROM traces ` +
        `PREWHERE project_id = ${text(projectId)} AND id = ${text(traceId)} UNION ALL ` +
        `SELECT 1 + position, ver, record, text, body FROM steps ` +
        `PREWHERE project_id = ${text(projectId)} AND trace_id = ${text(traceId)} ` +
        `WHERE position < ${integer(FIRST_STEPS.count)} AND body_bytes <= ${integer(FIRST_STEPS.bodyBytes)}`,
    )
    const versions = rows
      .filter(([place]) => place === 0)
      .map(([, version, record, metadata]) => [traceId, version, record, metadata])
    const steps = rows.filter(([place, version]) => place !== 0 && (version as number) <= atVersion)
    const firstSteps = steps
      .map(([place, , ...columns]) => readStepRow([(place as number) - 1, ...columns]))
      .sort((a, b) => a.position - b.position)
    const hole = firstSteps.findIndex(({ position }, at) => position !== at)
    const [trace] = newestOf(versions, atVersion).map(readTraceRow)
    // A span may have been replaced by one that is too large to be among these rows.
    if (trace !== undefined && trace.spans !== null) return { trace, firstSteps: [] }
    return { trace, firstSteps: hole === -1 ? firstSteps : firstSteps.slice(0, hole) }
  }

  findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    return findFeedCandidates(this.#engine, query)
  }

  /** The first positions are found in the index alone, so that one text is read for each trace. */
  async findStepHits(projectId: ProjectId, traceIds: readonly TraceId[], words: readonly string[]): Promise<StepHit[]> {
    if (traceIds.length === 0) return []
    const ofTraces = `project_id = ${text(projectId)} AND trace_id IN (${texts(traceIds)})`
    const first = `SELECT trace_id, min(position) FROM steps WHERE ${ofTraces} AND ${hasWords(words)} GROUP BY trace_id`
    const word = words[0] as string
    const place = `positionUTF8(lower(text), ${text(prefixOf(word) ?? word)})`
    const excerpt = `substringUTF8(text, greatest(1, toInt64(${place}) - ${EXCERPT / 4}), ${EXCERPT})`
    const rows = await this.#engine.select(
      `SELECT trace_id, position, id, if(length(text) > ${integer(HIT_TEXT_BYTES)}, ${excerpt}, text) FROM steps ` +
        `WHERE ${ofTraces} AND (trace_id, position) IN (${first}) ORDER BY ver DESC LIMIT 1 BY trace_id`,
    )
    return rows.map(([traceId, position, stepId, found]) => ({
      traceId: traceId as TraceId,
      position: position as number,
      stepId: stepId as StepId,
      texts: (found as string).split(BETWEEN_TEXTS),
    }))
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    const rows = await this.#selectSteps(STEP_COLUMNS, range)
    return rows.map(readStepRow).sort((a, b) => a.position - b.position)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    const rows = await this.#selectSteps('position, body_bytes', range)
    return rows
      .map(([position, bodyBytes]) => ({ position: position as number, bodyBytes: bodyBytes as number }))
      .sort((a, b) => a.position - b.position)
  }

  async findStepHeads(range: StepRange): Promise<StepHead[]> {
    const rows = await this.#selectSteps('position, record', range)
    return rows.map(readStepHead).sort((a, b) => a.position - b.position)
  }

  /** A scan of one narrow column: an index would cost every insert, for a rare query. */
  async findTracesOfStep(projectId: ProjectId, stepId: StepId, limit: number): Promise<TraceId[]> {
    const rows = await this.#engine.select(
      `SELECT DISTINCT trace_id FROM steps PREWHERE project_id = ${text(projectId)} AND id = ${text(stepId)} ` +
        `ORDER BY trace_id DESC LIMIT ${integer(limit)} SETTINGS optimize_read_in_order = 0`,
    )
    return rows.map(([traceId]) => traceId as TraceId)
  }

  async findStepsAmong(projectId: ProjectId, steps: readonly StepPlace[], maxVersion: number): Promise<StepPlace[]> {
    const found: StepPlace[] = []
    for (let from = 0; from < steps.length; from += STEPS_PER_READ) {
      const part = steps.slice(from, from + STEPS_PER_READ)
      const places = part.map(({ traceId, stepId }) => `(${text(traceId)}, ${text(stepId)})`)
      const traceIds = [...new Set(part.map(({ traceId }) => traceId))]
      const rows = await this.#engine.select(
        `SELECT trace_id, id FROM steps WHERE project_id = ${text(projectId)} AND trace_id IN (${texts(traceIds)}) ` +
          `AND ${createdWithin('trace_created_at', traceIds.reduce(lesser), traceIds.reduce(greater), this.#options.idLeadMs())} ` +
          `AND ver <= ${integer(maxVersion)} AND (trace_id, id) IN (${places.join(', ')})`,
      )
      for (const [traceId, stepId] of rows) found.push({ traceId: traceId as TraceId, stepId: stepId as StepId })
    }
    return found
  }

  findScored(projectId: ProjectId, by: ScoredBy, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    return this.#metricEvents.findScored(projectId, by, traceIds)
  }

  findScoredBounds(projectId: ProjectId, by: ScoredBy): Promise<IdBounds | null> {
    return this.#metricEvents.findScoredBounds(projectId, by)
  }

  purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    return this.#purge.step(traces)
  }

  purgeEvents(events: readonly RemovalMark[]): Promise<boolean> {
    return this.#purge.stepOfEvents(events)
  }

  async sizeBytes(): Promise<number> {
    const sizes = await Promise.all(
      this.#options.shards.map((shard) =>
        shard.select('SELECT sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase() AND active'),
      ),
    )
    return sizes.reduce((sum, [row]) => sum + (row?.[0] as number), 0)
  }

  /**
   * `columns` begin with the position. Steps that have several versions are rare, so versions are only read when a
   * position occurs twice: then the rows are read again in the order of their versions.
   */
  async #selectSteps(columns: string, range: StepRange): Promise<readonly (readonly unknown[])[]> {
    const select = `SELECT ${columns} FROM steps ${this.#inRange(range)}`
    const rows = await this.#engine.select(select)
    if (new Set(rows.map(([position]) => position)).size === rows.length) return rows
    const byVersion = await this.#engine.select(`${select} ORDER BY ver`)
    return [...new Map(byVersion.map((row) => [row[0], row])).values()]
  }

  /** Positions have no gaps, so bounds on them are the limit. Sorting here is cheaper than in the engine. */
  #inRange({ projectId, traceId, fromPosition, limit, maxVersion }: StepRange): string {
    return (
      `PREWHERE project_id = ${text(projectId)} AND trace_id = ${text(traceId)} ` +
      `WHERE position >= ${integer(fromPosition)} AND position < ${integer(fromPosition + limit)} AND ver <= ${integer(maxVersion)}`
    )
  }
}

/** Characters of text around the place of a hit. */
const EXCERPT = 400

/** Steps named in one query to the engine: literals in a list take many times their size. */
const STEPS_PER_READ = 1000

const ID_COLUMN = 0
const VERSION_COLUMN = 1

/** For each id its latest row up to `atVersion`, else the oldest row. */
function newestOf(rows: readonly (readonly unknown[])[], atVersion: number): readonly (readonly unknown[])[] {
  const kept = new Map<unknown, readonly unknown[]>()
  for (const row of rows) {
    const version = row[VERSION_COLUMN] as number
    const other = kept.get(row[ID_COLUMN])
    if (other === undefined || isBetter(version, other[VERSION_COLUMN] as number, atVersion))
      kept.set(row[ID_COLUMN], row)
  }
  return [...kept.values()]
}

function isBetter(version: number, than: number, atVersion: number): boolean {
  if (than > atVersion) return version < than
  return version <= atVersion && version > than
}

function lesser<Value>(a: Value, b: Value): Value {
  return a < b ? a : b
}

function greater<Value>(a: Value, b: Value): Value {
  return a < b ? b : a
}
