import { isId, type ProjectId, type StepId, type TraceId } from '@spoor/contract/ids'
import type { ByteGate } from '../../lib/flow/byte-gate.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { traceNotFound } from '../commit/change-trace.ts'
import { encodeFields, invalidCursor, isCount, readFields } from '../../lib/cursor-fields.ts'
import { withStepParents } from './step-parents.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import type { ContextLimit } from '../../ports/prices/bill.ts'
import { loadUsageTree } from '../commit/load-usage-tree.ts'
import { findingsOf } from '../rules/run-calls.ts'
import { UsageTree } from '../rules/usage-tree.ts'
import type { FoundSteps, FoundTrace, StepsQuery, TraceUseCases } from '../use-cases.ts'

export interface ReadTraceDependencies {
  readonly store: Pick<TraceReads, 'openTrace' | 'findTraces' | 'findSteps' | 'findStepSizes' | 'findStepHeads'>
  readonly contextLimit: ContextLimit
  readonly watermark: () => Watermark
  /** The latest version of a trace whose row is, or may be, lost; null when none is. */
  readonly lostVersion: (projectId: ProjectId, traceId: TraceId) => number | null
  /** Shared by all running responses. */
  readonly answers: ByteGate
}

/**
 * Bodies in one page of a trace response, bytes. One slow client makes the service hold one page, and each page is
 * parsed and printed without a break: with 2 MB, 40 slow readers of 15 MB blocked the event loop for 120 ms. A single
 * step may be larger.
 */
const PAGE_BYTES = 512 * 1024
/** For a page of `GET /v1/traces/:id/steps`, bytes. */
const LIST_BYTES = 2 * 1024 * 1024
const PAGE_STEPS = 2000
/** For the first page of a trace that does not fit one page, bytes: the client can show it while the rest is read. */
const FIRST_PAGE_BYTES = 128 * 1024

/**
 * The trace as of now, and its steps as of now, however long reading them takes. Throws DomainError `storage_damaged`
 * when rows of it are missing, and `not_found` when it was deleted, also while its steps are read.
 *
 * `withSteps` opens the trace with the query that may return all its steps too.
 */
export async function readTrace(
  dependencies: ReadTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  withSteps = true,
): ReturnType<TraceUseCases['read']> {
  const { store, watermark } = dependencies
  const { version, lastTraceId } = watermark()
  if (lastTraceId === null || traceId > lastTraceId) throw traceNotFound(traceId)
  const { trace, firstSteps } = withSteps
    ? await store.openTrace(projectId, traceId, version)
    : { trace: (await store.findTraces(projectId, [traceId], version))[0], firstSteps: [] }
  const found = present(dependencies, projectId, traceId, trace)
  // If the row is a later version than the steps, it counts more of them.
  const allSteps = withSteps && firstSteps.length === found.stepCount ? withStepParents(found, firstSteps) : null
  return {
    trace: found,
    allSteps,
    named: await namedSteps(dependencies, found, allSteps),
    countedOn: withSteps ? await countedOn(dependencies, found, allSteps) : NONE_COUNTED,
    steps: allSteps === null ? stepPages(dependencies, found, version) : inOnePage(allSteps),
  }
}

const NONE_COUNTED: FoundSteps['countedOn'] = new Map()

/** The steps that findings name. */
async function namedSteps(
  { store }: ReadTraceDependencies,
  { projectId, id: traceId, version, digest }: TraceRecord,
  allSteps: readonly StepRecord[] | null,
): Promise<FoundTrace['named']> {
  const positions = new Set(findingsOf(digest.calls).flatMap(({ at }) => at))
  const named = new Map<number, StepId>()
  const last = Math.max(...positions)
  for (let from = Math.min(...positions); from <= last; from += PAGE_STEPS) {
    const range = { projectId, traceId, fromPosition: from, limit: Math.min(PAGE_STEPS, last + 1 - from) }
    const heads = allSteps ?? (await store.findStepHeads({ ...range, maxVersion: version }))
    for (const { id, position } of heads) if (positions.has(position)) named.set(position, id)
  }
  return named
}

/** It depends on all steps. They are read first only if usage is reported twice. */
async function countedOn(
  { store, contextLimit }: ReadTraceDependencies,
  trace: TraceRecord,
  allSteps: readonly StepRecord[] | null,
): Promise<FoundSteps['countedOn']> {
  if (trace.digest.nesting !== 'overlaps') return NONE_COUNTED
  if (allSteps === null) return (await loadUsageTree(store, trace, contextLimit)).countedOn()
  const tree = new UsageTree(contextLimit, trace.version)
  tree.addHeads(allSteps)
  return tree.countedOn()
}

async function* inOnePage(steps: readonly StepRecord[]): AsyncGenerator<readonly StepRecord[]> {
  yield steps
}

export async function listSteps(
  dependencies: ReadTraceDependencies,
  query: StepsQuery,
): ReturnType<TraceUseCases['listSteps']> {
  const { projectId, traceId, limit } = query
  const { version } = dependencies.watermark()
  const trace = await findTrace(dependencies, projectId, traceId)
  const from = query.cursor === null ? 0 : decodeStepsCursor(query.cursor, traceId)
  const found = { from, version, limit: Math.min(limit, PAGE_STEPS) }
  const sizes = await findSizes(dependencies, trace, found)
  const steps = await readPage(dependencies, trace, { ...found, limit: fitting(sizes, LIST_BYTES) })
  const next = from + steps.length
  const nextCursor = steps.length > 0 && next < trace.stepCount ? encodeStepsCursor(traceId, next) : null
  return { steps: withStepParents(trace, steps), countedOn: await countedOn(dependencies, trace, null), nextCursor }
}

async function findTrace(
  dependencies: ReadTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): Promise<TraceRecord> {
  const { version, lastTraceId } = dependencies.watermark()
  if (lastTraceId === null || traceId > lastTraceId) throw traceNotFound(traceId)
  const [trace] = await dependencies.store.findTraces(projectId, [traceId], version)
  return present(dependencies, projectId, traceId, trace)
}

/** The latest version of a trace. Throws the DomainError for a trace that is damaged, deleted or unknown. */
function present(
  { lostVersion }: ReadTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  trace: TraceRecord | undefined,
): TraceRecord {
  // The stored version may be older than the lost one: a replaced version, or one from before a deletion.
  if ((lostVersion(projectId, traceId) ?? -1) > (trace?.version ?? -1)) throw traceDamaged(traceId)
  if (trace === undefined || trace.deleted) throw traceNotFound(traceId)
  return trace
}

async function* stepPages(
  dependencies: ReadTraceDependencies,
  trace: TraceRecord,
  version: number,
): AsyncGenerator<readonly StepRecord[]> {
  let from = 0
  let sizes: readonly number[] = []
  while (from < trace.stepCount) {
    const held = await dependencies.answers.acquire(Math.min(trace.bodyBytes, PAGE_BYTES))
    try {
      if (sizes.length === 0) sizes = await findSizes(dependencies, trace, { from, version, limit: PAGE_STEPS })
      const limit = fitting(sizes, from === 0 ? FIRST_PAGE_BYTES : PAGE_BYTES)
      const steps = await readPage(dependencies, trace, { from, version, limit })
      yield withStepParents(trace, steps)
      from += steps.length
      sizes = sizes.slice(steps.length)
    } finally {
      held.release()
    }
  }
}

interface PageRange {
  readonly from: number
  /** The watermark before the trace was read. The trace may be a later version, but no version lies between. */
  readonly version: number
  readonly limit: number
}

/** The sizes of the steps from position `from` on, bytes. Of a trace that fits one page they do not matter. */
async function findSizes(
  { store }: ReadTraceDependencies,
  trace: TraceRecord,
  { from, version, limit }: PageRange,
): Promise<readonly number[]> {
  const count = Math.min(limit, trace.stepCount - from)
  if (trace.bodyBytes <= PAGE_BYTES && trace.stepCount <= PAGE_STEPS) return Array<number>(Math.max(0, count)).fill(0)
  const maxVersion = Math.max(version, trace.version)
  const range = { projectId: trace.projectId, traceId: trace.id, fromPosition: from, limit: count, maxVersion }
  return (await store.findStepSizes(range)).map(({ bodyBytes }) => bodyBytes)
}

/** How many steps fit a page: at least one, so that a lost step is noticed. */
function fitting(sizes: readonly number[], pageBytes: number): number {
  let bytes = 0
  const over = sizes.findIndex((size, index) => (bytes += size) > pageBytes && index > 0)
  return over === -1 ? Math.max(1, sizes.length) : over
}

/**
 * As many steps as `limit` from position `from`, or those that are left. A complete trace has as many steps up to its
 * version as it counts, at consecutive positions. Otherwise rows of the steps, or of the trace, are lost.
 */
async function readPage(
  dependencies: ReadTraceDependencies,
  trace: TraceRecord,
  { from, version, limit }: PageRange,
): Promise<StepRecord[]> {
  const expected = Math.max(0, Math.min(limit, trace.stepCount - from))
  if (expected === 0) return []
  const maxVersion = Math.max(version, trace.version)
  const range = { projectId: trace.projectId, traceId: trace.id, fromPosition: from, limit: expected, maxVersion }
  const steps = await dependencies.store.findSteps(range)
  if (steps.length === expected && steps.every(({ position }, at) => position === from + at)) return steps
  // If the trace was deleted meanwhile, its missing steps are no damage.
  const latest = await findTrace(dependencies, trace.projectId, trace.id)
  // Nor are steps that a later version has replaced meanwhile: then that is read.
  const isReplaced = latest.version > maxVersion && latest.spans !== null
  if (isReplaced) {
    const replacing = { ...trace, version: latest.version, bodyBytes: latest.bodyBytes }
    const sizes = await findSizes(dependencies, replacing, { from, version, limit: expected })
    return readPage(dependencies, replacing, { from, version, limit: fitting(sizes, PAGE_BYTES) })
  }
  throw traceDamaged(trace.id)
}

function traceDamaged(traceId: TraceId): DomainError {
  return new DomainError(
    'storage_damaged',
    `Part of the trace ${traceId} can no longer be read: its rows were damaged on the disk. See damage.jsonl in the data directory.`,
  )
}

function encodeStepsCursor(traceId: TraceId, position: number): string {
  return encodeFields([traceId, position])
}

function decodeStepsCursor(text: string, traceId: TraceId): number {
  const [id, position] = readFields(text)
  if (!isId('tr', id) || id !== traceId || !isCount(position)) throw invalidCursor('It is not a cursor of this trace.')
  return position
}
