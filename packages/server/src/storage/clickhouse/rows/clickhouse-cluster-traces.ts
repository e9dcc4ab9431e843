import type { TraceHeading } from '@spoor/clustering/text/trace-text'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type {
  ClusterTraces,
  ListedTrace,
  StepRow,
  TraceFailure,
  TraceListQuery,
} from '../../../ports/clusters/cluster-traces.ts'
import { idAtTime, timeOfId } from '../../../lib/ids/ids.ts'
import { growingTerm } from '../../../traces/rules/terms.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { verdict } from '../series/trace-verdict.ts'
import { wholeBody } from './cut-body.ts'
import { filterConditions, tracesWithin } from '../feed/matching-traces.ts'
import { notRemoved } from './score-conditions.ts'
import { createdWithin, instant, integer, isAmong, text, texts } from '../engine/literal.ts'

/** Bodies read at once, bytes: parsing them blocks the thread. A single step may be larger. */
const PART_BYTES = 1024 * 1024
const PART_TRACES = 250
/** Limit for one trace: its beginning shows what the user wanted, and its last failed step why it failed. */
const TRACE_BYTES = 4 * 1024 * 1024
const TRACE_STEPS = 1000
/** Of a request in the metadata, characters. */
const INPUT_LENGTH = 16_384

/** Traces and their steps for discoveries, directly from the tables. */
export class ClickHouseClusterTraces implements ClusterTraces {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>) {
    this.#dependencies = dependencies
  }

  async list({
    projectId,
    lowestId,
    highestId,
    createdFrom,
    order,
    limit,
    onlyComplete = false,
    onlyFailed = false,
    failure = { kind: 'status' },
    matching,
  }: TraceListQuery): Promise<readonly ListedTrace[]> {
    await this.#dependencies.settled()
    const from = Math.max(createdFrom, timeOfId(lowestId) - this.#dependencies.idLeadMs())
    const filters = matching === undefined ? [] : await this.#filters(matching, lowestId, highestId)
    const growing = onlyComplete ? `AND NOT has(terms, ${text(growingTerm())}) ` : ''
    const within = [`trace_id >= ${text(lowestId)}`, `trace_id < ${text(highestId)}`]
    const removed = notRemoved(await this.#dependencies.removedEvents(projectId))
    const failing = onlyFailed ? 'AND verdict = 1 ' : ''
    // Only the events of the listed traces are read, unless they say which traces are listed.
    const isLater = failure.kind === 'metric' && !onlyFailed
    const known = isLater ? '-1' : verdict({ projectId, failure }, [...within, ...removed])
    const rows = await this.#dependencies.engine.select(
      `SELECT id, ver, ${known} AS verdict, toUnixTimestamp64Milli(created_at) FROM traces FINAL WHERE project_id = ${text(projectId)} AND id >= ${text(lowestId)} ` +
        `AND id < ${text(highestId)} AND created_at >= ${instant(from)} ` +
        `AND created_at <= ${instant(timeOfId(highestId))} AND deleted = 0 ${growing}${failing}${filters.map((one) => `AND ${one} `).join('')}` +
        `ORDER BY id ${order} LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
    )
    const ids = rows.map(([id]) => id as TraceId)
    const later = isLater ? await this.#verdicts(projectId, failure, ids, removed) : null
    return rows.map(([id, version, listed, createdAt]) => {
      const failed = later?.get(id as TraceId) ?? listed
      return {
        id: id as TraceId,
        version: version as number,
        failed: failed === -1 ? null : failed === 1,
        createdAt: createdAt as number,
      }
    })
  }

  async #verdicts(
    projectId: ProjectId,
    failure: TraceFailure,
    ids: readonly TraceId[],
    removed: readonly string[],
  ): Promise<ReadonlyMap<TraceId, number>> {
    if (ids.length === 0) return new Map()
    const rows = await this.#dependencies.engine.select(
      `SELECT id, ${verdict({ projectId, failure }, [isAmong('trace_id', ids), ...removed])} FROM (SELECT line AS id FROM format(LineAsString, ${text(ids.join('\n'))}))`,
    )
    return new Map(rows.map(([id, failed]) => [id as TraceId, failed as number]))
  }

  /** Conditions of the filters. Their reads of steps and events keep to the ids of the list. */
  async #filters(
    matching: NonNullable<TraceListQuery['matching']>,
    lowestId: TraceId,
    highestId: TraceId,
  ): Promise<readonly string[]> {
    const start = idAtTime('tr', matching.startTime ?? 0)
    const lowest = lowestId > start ? lowestId : start
    const query = { ...matching, throughId: highestId < matching.throughId ? highestId : matching.throughId }
    return [
      ...tracesWithin(query, 'id', lowest, this.#dependencies.idLeadMs()),
      ...(await filterConditions(this.#dependencies, query, lowest)),
    ]
  }

  async *steps(projectId: ProjectId, traceIds: readonly TraceId[], answers = false): AsyncIterable<readonly StepRow[]> {
    if (traceIds.length === 0) return
    const { engine, idLeadMs } = this.#dependencies
    const lead = idLeadMs()
    const rows = await engine.select(
      `SELECT trace_id, sum(body_bytes), maxIf(position, status = 'error') FROM steps FINAL WHERE ${ofTraces(projectId, traceIds, lead)} ` +
        `GROUP BY trace_id ORDER BY trace_id SETTINGS ${FINAL_SETTINGS}`,
    )
    const sizes = rows.map(([id, bytes, failedAt]): SizedTrace => {
      return { id: id as TraceId, bytes: bytes as number, failedAt: failedAt as number }
    })
    for (const part of inParts(sizes)) {
      const [first] = part
      const through =
        part.length === 1 && first!.bytes > TRACE_BYTES ? await this.#lastWithin(projectId, first!.id, lead) : null
      const read = await engine.select(stepsQuery(projectId, part, lead, through ?? TRACE_STEPS - 1, answers))
      yield read.map((row) => {
        const [id, name, type, status, body, tools, ofStep] = row as readonly [...StepRow, texts: string]
        return [id, name, type, status, wholeBody(body, ofStep), tools]
      })
    }
  }

  async headings(
    projectId: ProjectId,
    traceIds: readonly TraceId[],
    path: readonly string[] | null,
  ): Promise<ReadonlyMap<TraceId, TraceHeading>> {
    if (traceIds.length === 0) return new Map()
    const { engine, idLeadMs } = this.#dependencies
    const sorted = traceIds.toSorted()
    const created = createdWithin('created_at', sorted[0]!, sorted.at(-1)!, idLeadMs())
    const rows = await engine.select(
      `SELECT id, name, ${inputExpression(path)} FROM traces FINAL WHERE project_id = ${text(projectId)} ` +
        `AND id IN (${texts(sorted)}) AND ${created} AND deleted = 0 SETTINGS ${FINAL_SETTINGS}`,
    )
    return new Map(
      rows.map(([id, name, input]) => [id as TraceId, { name: name as string, input: input as string | null }]),
    )
  }

  /** The last position up to which the bodies fit the limit; at least the first step is included. */
  async #lastWithin(projectId: ProjectId, traceId: TraceId, idLeadMs: number): Promise<number> {
    const rows = await this.#dependencies.engine.select(
      `SELECT body_bytes FROM steps FINAL WHERE ${ofTraces(projectId, [traceId], idLeadMs)} ` +
        `ORDER BY position LIMIT ${integer(TRACE_STEPS)} SETTINGS ${FINAL_SETTINGS}`,
    )
    let bytes = 0
    const over = rows.findIndex(([size], index) => (bytes += size as number) > TRACE_BYTES && index > 0)
    return (over < 0 ? rows.length : over) - 1
  }
}

/** Null where the metadata has nothing at the path, or null. */
function inputExpression(path: readonly string[] | null): string {
  if (path === null) return 'NULL'
  const at = ['metadata', ...path.map(text)].join(', ')
  const value = `if(JSONType(${at}) = 'String', JSONExtractString(${at}), JSONExtractRaw(${at}))`
  return `if(JSONType(${at}) = 'Null', NULL, substringUTF8(${value}, 1, ${integer(INPUT_LENGTH)}))`
}

/**
 * Bodies are read only where an error occurred, or where a user may speak in them, or a model for `answers`. Responses
 * and tool results are most of the stored bytes and are mostly not needed.
 */
function stepsQuery(
  projectId: ProjectId,
  traces: readonly SizedTrace[],
  idLeadMs: number,
  through: number,
  answers: boolean,
): string {
  const ids = traces.map(({ id }) => id)
  const late = answers ? traces.filter(({ failedAt }) => failedAt > through) : []
  const last = late.map(({ id, failedAt }) => ` OR (trace_id = ${text(id)} AND position = ${integer(failedAt)})`)
  const roles = answers ? `'"assistant"', '"ai"', '"model"'` : `'"user"', '"human"'`
  const matters = `status = 'error' OR multiSearchAnyCaseInsensitive(body, [${roles}])`
  return (
    `SELECT trace_id, name, type, status, if(${matters}, body, '{}'), tools, if(${matters}, text, '') FROM steps FINAL WHERE ${ofTraces(projectId, ids, idLeadMs)} ` +
    `AND (position <= ${integer(through)}${last.join('')}) ORDER BY trace_id, position SETTINGS ${FINAL_SETTINGS}`
  )
}

function ofTraces(projectId: ProjectId, traceIds: readonly TraceId[], idLeadMs: number): string {
  const sorted = traceIds.toSorted()
  const [lowest, highest] = [sorted[0] as TraceId, sorted.at(-1) as TraceId]
  return (
    `project_id = ${text(projectId)} AND trace_id IN (${texts(sorted)}) ` +
    `AND ${createdWithin('trace_created_at', lowest, highest, idLeadMs)}`
  )
}

interface SizedTrace {
  readonly id: TraceId
  readonly bytes: number
  /** The position of its last failed step; 0 without one. */
  readonly failedAt: number
}

function* inParts(traces: readonly SizedTrace[]): Generator<readonly SizedTrace[]> {
  let part: SizedTrace[] = []
  let bytes = 0
  for (const trace of traces) {
    if (part.length > 0 && (bytes + trace.bytes > PART_BYTES || part.length === PART_TRACES)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(trace)
    bytes += trace.bytes
  }
  if (part.length > 0) yield part
}
