import { hash } from 'node:crypto'
import type { Limits } from '@spoor/contract/limits'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../journal/journal.ts'
import { DomainError } from '../lib/domain-error.ts'
import { timeOfId } from '../lib/ids.ts'
import { freePassing } from '../lib/passing-bytes.ts'
import type { WorkTurns } from '../lib/work-turns.ts'
import type { GroupCommitter, Watermark } from './group-committer.ts'
import { CHECKED_MEDIA, findMediaOf, type LinkableMedia } from './linkable-media.ts'
import { parseTrace } from './parse-trace.ts'
import { preparedTraceBytes } from './prepared.ts'
import type { TraceStore } from './trace-store.ts'
import type { CommitReceipt, CommitTraceRequest, TraceUseCases } from './use-cases.ts'

export interface CommitTraceDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly journal: Pick<Journal, 'findTraceKey' | 'idLeadMs'>
  readonly store: Pick<TraceStore, 'findStepIds' | 'findTraces'>
  readonly watermark: () => Watermark
  readonly limits: Limits
  readonly media: LinkableMedia
  /** Large bodies are parsed in turns. */
  readonly work: WorkTurns
}

/**
 * `POST /v1/traces`. With an idempotency key the first body wins: the same bytes again answer with the first trace, also while the first is
 * still being written; other bytes are a conflict.
 */
export function createCommitTrace(dependencies: CommitTraceDependencies): TraceUseCases['commit'] {
  const { committer, limits, work } = dependencies
  const underWay = new Map<string, { readonly bodyHash: string; readonly receipt: Promise<CommitReceipt> }>()

  async function write(request: CommitTraceRequest, bodyHash: string): Promise<CommitReceipt> {
    const { projectId, idempotencyKey, body } = request
    const prepared = await work.run(projectId, () =>
      parseTrace(body, limits, findMediaOf(dependencies.media, projectId)),
    )
    // While it waits, only what was prepared of it is held.
    freePassing(body)
    const key = idempotencyKey === null ? null : { key: idempotencyKey, bodyHash }
    const created = await committer.submit({
      bytes: preparedTraceBytes(prepared),
      apply: (batch) => batch.create(projectId, prepared, key),
    })
    return { ...created, replayed: false }
  }

  return async (request) => {
    const { projectId, idempotencyKey, body } = request
    if (idempotencyKey === null) return write(request, '')
    const bodyHash = hash('sha256', body, 'hex')
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

/** The first answer once more; the number of steps then is the number of steps in the body now, since the bodies are the same. */
async function replay(
  dependencies: CommitTraceDependencies,
  { projectId, body }: CommitTraceRequest,
  id: TraceId,
): Promise<CommitReceipt> {
  const { store, limits, work } = dependencies
  const count = await work.run(projectId, () => parseTrace(body, limits, CHECKED_MEDIA).steps.length)
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
