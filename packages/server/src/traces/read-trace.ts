import { isId, type ProjectId, type TraceId } from '@spoor/contract/ids'
import type { ByteGate } from '../lib/byte-gate.ts'
import { traceNotFound } from './change-trace.ts'
import { invalidCursor, isCount, readFields } from './feed-cursor.ts'
import type { Watermark } from './group-committer.ts'
import type { StepRecord } from './step-record.ts'
import type { TraceRecord } from './trace-record.ts'
import type { TraceStore } from './trace-store.ts'
import type { StepsQuery, TraceUseCases } from './use-cases.ts'

export interface ReadTraceDependencies {
  readonly store: Pick<TraceStore, 'findTraces' | 'findSteps' | 'findStepSizes'>
  readonly watermark: () => Watermark
  /** Shared by all answers under way. */
  readonly answers: ByteGate
}

/** Bodies read at once, bytes: what one slow client can make the service hold. A single step may be larger. */
const PAGE_BYTES = 2 * 1024 * 1024
const PAGE_STEPS = 2000
/** Of the first bodies of a trace that does not come at once: who opens it sees them while the others are read. */
const FIRST_PAGE_BYTES = 128 * 1024

/** The trace as committed now; its steps as of now too, however long reading them takes. */
export async function readTrace(
  dependencies: ReadTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): ReturnType<TraceUseCases['read']> {
  const { version } = dependencies.watermark()
  const trace = await findTrace(dependencies, projectId, traceId)
  return { trace, steps: stepPages(dependencies, trace, version) }
}

export async function listSteps(
  dependencies: ReadTraceDependencies,
  query: StepsQuery,
): Promise<{ readonly steps: readonly StepRecord[]; readonly nextCursor: string | null }> {
  const { projectId, traceId, limit } = query
  const { version } = dependencies.watermark()
  const trace = await findTrace(dependencies, projectId, traceId)
  const from = query.cursor === null ? 0 : decodeStepsCursor(query.cursor, traceId)
  const steps = await readPage(dependencies, trace, { from, version, limit, pageBytes: PAGE_BYTES })
  const next = from + steps.length
  return { steps, nextCursor: steps.length > 0 && next < trace.stepCount ? encodeStepsCursor(traceId, next) : null }
}

async function findTrace(
  { store, watermark }: ReadTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): Promise<TraceRecord> {
  const { version, lastTraceId } = watermark()
  if (lastTraceId === null || traceId > lastTraceId) throw traceNotFound(traceId)
  const [trace] = await store.findTraces(projectId, [traceId], version)
  if (trace === undefined || trace.deleted) throw traceNotFound(traceId)
  return trace
}

async function* stepPages(
  dependencies: ReadTraceDependencies,
  trace: TraceRecord,
  version: number,
): AsyncGenerator<readonly StepRecord[]> {
  let from = 0
  while (from < trace.stepCount) {
    const held = await dependencies.answers.acquire(Math.min(trace.bodyBytes, PAGE_BYTES))
    try {
      const pageBytes = from === 0 ? FIRST_PAGE_BYTES : PAGE_BYTES
      const steps = await readPage(dependencies, trace, { from, version, limit: PAGE_STEPS, pageBytes })
      if (steps.length === 0) return
      yield steps
      from += steps.length
    } finally {
      held.release()
    }
  }
}

interface PageRange {
  readonly from: number
  readonly version: number
  readonly limit: number
  readonly pageBytes: number
}

/** At least one step, when there is one, and no more than `pageBytes` of bodies beyond that; all of a trace whose bodies fit PAGE_BYTES. */
async function readPage(
  { store }: ReadTraceDependencies,
  trace: TraceRecord,
  { from, version, limit, pageBytes }: PageRange,
): Promise<StepRecord[]> {
  const range = { projectId: trace.projectId, traceId: trace.id, fromPosition: from, maxVersion: version }
  if (trace.bodyBytes <= PAGE_BYTES && trace.stepCount <= PAGE_STEPS) return store.findSteps({ ...range, limit })
  const sizes = await store.findStepSizes({ ...range, limit: Math.min(limit, PAGE_STEPS) })
  let bytes = 0
  const over = sizes.findIndex(({ bodyBytes }, index) => (bytes += bodyBytes) > pageBytes && index > 0)
  const count = over === -1 ? sizes.length : over
  return count === 0 ? [] : store.findSteps({ ...range, limit: count })
}

function encodeStepsCursor(traceId: TraceId, position: number): string {
  return Buffer.from(JSON.stringify([traceId, position])).toString('base64url')
}

function decodeStepsCursor(text: string, traceId: TraceId): number {
  const [id, position] = readFields(text)
  if (!isId('tr', id) || id !== traceId || !isCount(position)) throw invalidCursor('It is not a cursor of this trace.')
  return position
}
