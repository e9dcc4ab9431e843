import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { StepRollup } from '../../traces/rollup.ts'
import type { StepRecord } from '../../traces/step-record.ts'
import type { TraceRecord } from '../../traces/trace-record.ts'
import type {
  FeedCandidate,
  FeedCandidateQuery,
  NewStep,
  StepRange,
  StoredTrace,
  TraceStore,
} from '../../traces/trace-store.ts'
import { ByteWriter } from './byte-writer.ts'
import { findFeedCandidates } from './feed-candidates.ts'
import { createdWithin, integer, text, texts } from './literal.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'
import { readStepRow, STEP_COLUMNS, writeStepRow } from './step-row.ts'
import { readTraceRow, TRACE_COLUMNS, writeTraceRow } from './trace-row.ts'

export interface ClickHouseTraceStoreOptions {
  /** See Journal: rows of these versions were never there. */
  readonly abandonedVersions: () => ReadonlySet<number>
  /** Whether the words of steps are stored for search. */
  readonly fullText: boolean
}

/** The traces and steps tables, embedded or on a server. */
export class ClickHouseTraceStore implements TraceStore {
  readonly #engine: TelemetryEngine
  readonly #abandonedVersions: () => ReadonlySet<number>
  readonly #fullText: boolean
  readonly #stepRows = new ByteWriter()
  readonly #traceRows = new ByteWriter()

  constructor(engine: TelemetryEngine, options: ClickHouseTraceStoreOptions) {
    this.#engine = engine
    this.#abandonedVersions = options.abandonedVersions
    this.#fullText = options.fullText
  }

  async write(traces: readonly TraceRecord[], steps: readonly NewStep[]): Promise<void> {
    const inserts: Promise<void>[] = []
    if (steps.length > 0) {
      const out = this.#stepRows
      out.reset()
      for (const step of steps) writeStepRow(out, step, this.#fullText)
      inserts.push(this.#engine.insert('steps', out.written()))
    }
    if (traces.length > 0) {
      const out = this.#traceRows
      out.reset()
      for (const trace of traces) writeTraceRow(out, trace)
      inserts.push(this.#engine.insert('traces', out.written()))
    }
    // Both must have ended before a failure is told: a repair may not meet an insert that is still under way.
    const failed = (await Promise.allSettled(inserts)).find((insert) => insert.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    if (ids.length === 0) return []
    const rows = await this.#engine.select(
      `SELECT ${TRACE_COLUMNS} FROM traces WHERE project_id = ${text(projectId)} AND id IN (${texts(ids)}) ` +
        `AND ${createdWithin('created_at', least(ids), greatest(ids))}`,
    )
    return newestOf(rows, atVersion, this.#abandonedVersions()).map(readTraceRow)
  }

  findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    return findFeedCandidates(this.#engine, query, this.#abandonedVersions())
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    const rows = await this.#engine.select(`SELECT ${STEP_COLUMNS} FROM steps ${this.#inRange(range)}`)
    return rows.map(readStepRow)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    const rows = await this.#engine.select(`SELECT position, body_bytes FROM steps ${this.#inRange(range)}`)
    return rows.map(([position, bodyBytes]) => ({ position: position as number, bodyBytes: bodyBytes as number }))
  }

  async findStepIds(projectId: ProjectId, traceId: TraceId, limit: number): Promise<StepId[]> {
    const conditions = this.#stepConditions(projectId, traceId, Number.MAX_SAFE_INTEGER)
    const rows = await this.#engine.select(
      `SELECT id FROM steps WHERE ${conditions} ORDER BY position LIMIT ${integer(limit)}`,
    )
    return rows.map(([id]) => id as StepId)
  }

  async findStepIdsAmong(
    projectId: ProjectId,
    traceId: TraceId,
    ids: readonly StepId[],
    maxVersion: number,
  ): Promise<StepId[]> {
    if (ids.length === 0) return []
    const conditions = this.#stepConditions(projectId, traceId, maxVersion)
    const rows = await this.#engine.select(`SELECT id FROM steps WHERE ${conditions} AND id IN (${texts(ids)})`)
    return rows.map(([id]) => id as StepId)
  }

  async findTracesAfter(version: number): Promise<TraceRecord[]> {
    const rows = await this.#engine.select(`SELECT ${TRACE_COLUMNS} FROM traces WHERE ver > ${integer(version)}`)
    return newestOf(rows, Number.MAX_SAFE_INTEGER, NONE).map(readTraceRow)
  }

  async findVersionsAfter(version: number): Promise<number[]> {
    const after = `ver > ${integer(version)}`
    const rows = await this.#engine.select(
      `SELECT DISTINCT ver FROM (SELECT ver FROM traces WHERE ${after} UNION ALL SELECT ver FROM steps WHERE ${after})`,
    )
    return rows.map(([found]) => found as number)
  }

  async summarizeSteps(projectId: ProjectId, traceId: TraceId, maxVersion: number): Promise<StepRollup> {
    const [row] = await this.#engine.select(
      `SELECT count(), countIf(status = 'error') > 0, ${TOKEN_COLUMNS.map(boundedSum).join(', ')},
        arraySort(groupUniqArrayIf(100)(toString(model), model != '')),
        minOrNullIf(started_at, started_at >= 0), maxOrNullIf(ended_at, ended_at >= 0), sum(body_bytes), argMax(id, position)
      FROM steps WHERE ${this.#stepConditions(projectId, traceId, maxVersion)}`,
    )
    const [
      stepCount,
      failed,
      input,
      output,
      cacheRead,
      cacheWrite,
      reasoning,
      models,
      startedAt,
      endedAt,
      bodyBytes,
      lastStepId,
    ] = row as SummaryColumns
    return {
      stepCount,
      failed: failed === 1,
      tokenUsage: { input, output, cacheRead, cacheWrite, reasoning },
      models,
      startedAt,
      endedAt,
      bodyBytes,
      lastStepId: lastStepId === '' ? null : lastStepId,
    }
  }

  async purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    const projects = Map.groupBy(traces, ({ projectId }) => projectId)
    const left = new Set<unknown>()
    for (const [projectId, ofProject] of projects) {
      const project = `project_id = ${text(projectId)}`
      const all = texts(ofProject.map(({ traceId }) => traceId))
      for (const id of await this.#deleteRows('steps', 'trace_id', `${project} AND trace_id IN (${all})`)) left.add(id)
      // Parts are cleared one after the other: a tombstone stays until none of the versions it hides could come back to life.
      const hidden = `${project} AND id IN (${all}) AND deleted = 0`
      const still = await this.#engine.select(`SELECT DISTINCT id FROM traces WHERE ${hidden}`)
      const waiting = new Set(still.map(([id]) => id))
      // Also when those versions go before the next look: their tombstone is still there.
      for (const id of waiting) left.add(id)
      const bare = ofProject.filter(({ traceId }) => !waiting.has(traceId)).map(({ traceId }) => traceId)
      const tombstones = bare.length === 0 ? '' : ` OR ${project} AND id IN (${texts(bare)})`
      for (const id of await this.#deleteRows('traces', 'id', `(${hidden}${tombstones})`)) left.add(id)
    }
    return traces.filter(({ traceId }) => !left.has(traceId))
  }

  async purgeVersions(versions: readonly number[]): Promise<readonly number[]> {
    if (versions.length === 0) return []
    const condition = `ver IN (${versions.map(integer).join(', ')})`
    const left = new Set<unknown>()
    for (const table of ['steps', 'traces'] as const) {
      for (const version of await this.#deleteRows(table, 'ver', condition)) left.add(version)
    }
    return versions.filter((version) => !left.has(version))
  }

  async sizeBytes(): Promise<number> {
    const [row] = await this.#engine.select(
      'SELECT sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase() AND active',
    )
    return row?.[0] as number
  }

  /**
   * The distinct values of `column` among the rows that match. When there are any, asks the engine to delete those rows; it does so in its own time, as a
   * mutation of every part that holds one, and is not asked again while it is at it.
   */
  async #deleteRows(table: 'traces' | 'steps', column: string, condition: string): Promise<readonly unknown[]> {
    const found = await this.#engine.select(`SELECT DISTINCT ${column} FROM ${table} WHERE ${condition}`)
    if (found.length === 0) return []
    const [busy] = await this.#engine.select(
      `SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND table = ${text(table)} AND NOT is_done LIMIT 1`,
    )
    if (busy === undefined)
      await this.#engine.command(`DELETE FROM ${table} WHERE ${condition} SETTINGS lightweight_deletes_sync = 0`)
    return found.map(([value]) => value)
  }

  #inRange({ projectId, traceId, fromPosition, limit, maxVersion }: StepRange): string {
    return (
      `WHERE ${this.#stepConditions(projectId, traceId, maxVersion)} AND position >= ${integer(fromPosition)} ` +
      `ORDER BY position LIMIT ${integer(limit)}`
    )
  }

  #stepConditions(projectId: ProjectId, traceId: TraceId, maxVersion: number): string {
    const abandoned = [...this.#abandonedVersions()]
    return [
      `project_id = ${text(projectId)}`,
      `trace_id = ${text(traceId)}`,
      createdWithin('trace_created_at', traceId, traceId),
      `ver <= ${integer(maxVersion)}`,
      ...(abandoned.length === 0 ? [] : [`ver NOT IN (${abandoned.map(integer).join(', ')})`]),
    ].join(' AND ')
  }
}

const NONE: ReadonlySet<number> = new Set()
const TOKEN_COLUMNS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens']

type SummaryColumns = [
  stepCount: number,
  failed: 0 | 1,
  ...tokens: [number, number, number, number, number],
  models: string[],
  startedAt: number | null,
  endedAt: number | null,
  bodyBytes: number,
  lastStepId: StepId | '',
]

/** As rollup.ts adds up: a sum stops at the greatest exact integer. Wider than the column, so that it cannot wrap around before. */
function boundedSum(column: string): string {
  return `toUInt64(least(sum(toUInt128(${column})), ${integer(Number.MAX_SAFE_INTEGER)}))`
}

const ID_COLUMN = 1
const VERSION_COLUMN = 2

/** For each id its newest row up to `atVersion`, else the oldest there is; rows of abandoned versions do not count. */
function newestOf(
  rows: readonly (readonly unknown[])[],
  atVersion: number,
  abandoned: ReadonlySet<number>,
): readonly (readonly unknown[])[] {
  const kept = new Map<unknown, readonly unknown[]>()
  for (const row of rows) {
    const version = row[VERSION_COLUMN] as number
    if (abandoned.has(version)) continue
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

function least(ids: readonly TraceId[]): TraceId {
  return ids.reduce((a, b) => (b < a ? b : a))
}

function greatest(ids: readonly TraceId[]): TraceId {
  return ids.reduce((a, b) => (b > a ? b : a))
}
