import { hash } from 'node:crypto'
import type { Limits } from '@spoor/contract/limits'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import { inSlices } from '../../lib/work/in-slices.ts'
import { freePassing } from '../../lib/work/passing-bytes.ts'
import type { WorkTurns } from '../../lib/work/work-turns.ts'
import type { GroupCommitter, Watermark } from '../commit/group-committer.ts'
import { CHECKED_MEDIA, type FindMedia, findMediaOf, type LinkableMedia } from './linkable-media.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../parse-thread/large-bodies.ts'
import { parseTrace } from './parse-trace.ts'
import { type PreparedTrace, preparedTraceBytes } from '../../ports/traces/prepared.ts'
import type { TraceStore } from '../../ports/traces/trace-store.ts'
import type { CommitReceipt, CommitTraceRequest, TraceUseCases } from '../use-cases.ts'

export interface CommitTraceDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly journal: Pick<Journal, 'findTraceKey' | 'idLeadMs'>
  readonly store: Pick<TraceStore, 'findStepIds' | 'findTraces'>
  readonly watermark: () => Watermark
  readonly limits: Limits
  readonly media: LinkableMedia
  /** Bodies are parsed in turns, … */
  readonly work: WorkTurns
  /** … large ones in a thread. */
  readonly largeBodies: Pick<LargeBodies, 'parse'>
}

/**
 * `POST /v1/traces`. With an idempotency key the first body wins: the same bytes again answer with the first trace, also while the first is
 * still being written; other bytes are a conflict.
 */
export function createCommitTrace(dependencies: CommitTraceDependencies): TraceUseCases['commit'] {
  const { committer } = dependencies
  const underWay = new Map<string, { readonly bodyHash: string; readonly receipt: Promise<CommitReceipt> }>()

  async function write(request: CommitTraceRequest, bodyHash: string): Promise<CommitReceipt> {
    const { projectId, idempotencyKey, body } = request
    const prepared = await parse(dependencies, request, findMediaOf(dependencies.media, projectId))
    // While it waits, only what was prepared of it is held.
    freePassing(body)
    const key = idempotencyKey === null ? null : { key: idempotencyKey, bodyHash }
    const created = await committer.submit({
      bytes: preparedTraceBytes(prepared),
      apply: (batch) => inSlices(batch.create(projectId, prepared, key)),
    })
    return { ...created, replayed: false }
  }

  return async (request) => {
    const { projectId, idempotencyKey, body } = request
    if (idempotencyKey === null) return write(request, '')
    const bodyHash = await hashBody(body)
    const known = dependencies.journal.findTraceKey(projectId, idempotencyKey)
    if (known !== undefined) {
      if (known.bodyHash !== bodyHash) throw conflict()
      return replay(dependencies, request, known.traceId)
    }
    const slot = `${projectId} ${idempotencyKey}`
    const first = underWay.get(slot)
    if (first !== undefined) {
      if (first.bodyHash !== bodyHash) throw conflict()
      return { ...(await first.receipt), replayed: true }
    }
    const receipt = write(request, bodyHash)
    underWay.set(slot, { bodyHash, receipt })
    try {
      return await receipt
    } finally {
      underWay.delete(slot)
    }
  }
}

/** Uses the body up when it is large. */
async function parse(
  { limits, work, largeBodies }: CommitTraceDependencies,
  { projectId, body }: CommitTraceRequest,
  findMedia: FindMedia,
): Promise<PreparedTrace> {
  if (body.length >= LARGE_BODY_BYTES) return largeBodies.parse({ projectId, bytes: body, findMedia })
  return work.run(projectId, () => parseTrace(body, limits, findMedia))
}

/** SHA-256 (hex). Of a large body it takes tens of milliseconds, so that is computed elsewhere. */
async function hashBody(body: Buffer): Promise<string> {
  if (body.length < LARGE_BODY_BYTES) return hash('sha256', body, 'hex')
  return Buffer.from(await crypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>)).toString('hex')
}

/** The first answer once more; the number of steps then is the number of steps in the body now, since the bodies are the same. */
async function replay(
  dependencies: CommitTraceDependencies,
  request: CommitTraceRequest,
  id: TraceId,
): Promise<CommitReceipt> {
  const { store } = dependencies
  const { projectId } = request
  const count = (await parse(dependencies, request, CHECKED_MEDIA)).steps.length
  const stepIds: StepId[] = count === 0 ? [] : await store.findStepIds(projectId, id, count)
  return { id, stepIds, committedAt: await createdAt(dependencies, projectId, id), replayed: true }
}

async function createdAt(
  { store, journal, watermark }: CommitTraceDependencies,
  projectId: ProjectId,
  id: TraceId,
): Promise<number> {
  if (journal.idLeadMs() === 0) return timeOfId(id)
  const [trace] = await store.findTraces(projectId, [id], watermark().version)
  // Of a trace that was purged since, nothing else is known.
  return trace?.createdAt ?? timeOfId(id)
}

function conflict(): DomainError {
  return new DomainError('idempotency_conflict', 'This Idempotency-Key was used with another body.')
}
