import { hash } from 'node:crypto'
import type { Limits } from '@spoor/contract/limits'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { TraceKey } from '../../ports/journal/journal.ts'
import { type Log, NO_UNKNOWNS, type Watermark } from '../../ports/log/log.ts'
import type { Masking } from '@spoor/contract/schemas/masking'
import { DomainError } from '../../lib/domain-error.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import { inSlices } from '../../lib/flow/in-slices.ts'
import { freePassing } from '../../lib/flow/passing-bytes.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import { type CreatedTrace, planCreate } from '../commit/plan/create.ts'
import type { GroupCommitter } from '../commit/group-committer.ts'
import {
  type LinkableMedia,
  linkedMedia,
  type MissingMedia,
  missingMediaOf,
  NONE_MISSING,
  parseLinked,
} from './linkable-media.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../parse-thread/large-bodies.ts'
import { compileMasking } from '../../lib/masking/masker.ts'
import { maskWhole } from './mask-prepared.ts'
import { parseTrace, type TraceForm } from './parse-trace.ts'
import { type PreparedTrace, preparedTraceBytes } from '../../ports/traces/prepared.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import type { CommitReceipt, CommitTraceRequest, TraceUseCases } from '../use-cases.ts'

export interface CommitTraceDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly log: Pick<Log, 'lookUp'>
  readonly store: Pick<TraceReads, 'findStepHeads' | 'findTraces'>
  readonly watermark: () => Watermark
  readonly limits: Limits
  readonly media: LinkableMedia
  /** What the project masks now; null: nothing. */
  readonly maskingOf: (projectId: ProjectId) => Promise<Masking | null>
  /** Bodies are parsed in time slices. */
  readonly work: WorkTurns
  /** Large bodies are parsed in a thread. */
  readonly largeBodies: Pick<LargeBodies, 'parseTrace'>
}

/**
 * `POST /v1/traces`. With an idempotency key the first body wins: the same bytes again return the first trace, also
 * while it is still being written; other bytes are a conflict.
 */
export function createCommitTrace(dependencies: CommitTraceDependencies): TraceUseCases['commit'] {
  const { log, media } = dependencies
  return async (request) => {
    const { projectId, idempotencyKey, body } = request
    const parseOwn = async (missing: MissingMedia) =>
      parseBody(dependencies, request, missing, await dependencies.maskingOf(projectId))
    const key = idempotencyKey === null ? null : { key: idempotencyKey, bodyHash: await hashBody(body) }
    if (key !== null) {
      const unknowns = { ...NO_UNKNOWNS, traceKeys: [{ projectId, key: key.key }] }
      const known = (await log.lookUp(unknowns)).traceKey(projectId, key.key)
      if (known !== undefined) {
        if (known.bodyHash !== key.bodyHash) throw conflict()
        return replay(dependencies, known, (await parseOwn(NONE_MISSING)).steps.length)
      }
    }
    const prepared = await parseOwn(missingMediaOf(media, projectId))
    // While it waits, only the prepared trace is held, not the body.
    freePassing(body)
    const written = await write(dependencies, projectId, prepared, key)
    if (!('bodyHash' in written)) return { ...written, replayed: false }
    // Sent twice at once: the other request was first.
    if (written.bodyHash !== key?.bodyHash) throw conflict()
    return replay(dependencies, written, prepared.steps.length)
  }
}

/** The created trace, or the one that was created earlier with this key. */
function write(
  { committer }: CommitTraceDependencies,
  projectId: ProjectId,
  prepared: PreparedTrace,
  key: { readonly key: string; readonly bodyHash: string } | null,
): Promise<CreatedTrace | TraceKey> {
  return committer.submit({
    owner: projectId,
    bytes: preparedTraceBytes(prepared),
    unknowns: {
      traceKeys: key === null ? [] : [{ projectId, key: key.key }],
      media: linkedMedia(projectId, prepared.steps),
    },
    apply: (batch) => inSlices(planCreate(batch, projectId, prepared, key)),
  })
}

/** Consumes the body if it is large. `projectId`: of the media that it names. */
export async function parseBody(
  { limits, work, largeBodies }: Pick<CommitTraceDependencies, 'limits' | 'work' | 'largeBodies'>,
  { projectId, body }: Pick<CommitTraceRequest, 'projectId' | 'body'>,
  missing: MissingMedia,
  masking: Masking | null,
  holds: TraceForm = 'trace',
): Promise<PreparedTrace> {
  if (body.length >= LARGE_BODY_BYTES)
    return largeBodies.parseTrace({ projectId, bytes: body, missing, masking }, holds)
  const masker = await compileMasking(masking)
  return parseLinked(projectId, missing, (findMedia) =>
    work.run(projectId, () => maskWhole(parseTrace(body, limits, findMedia, holds), masker)),
  )
}

/** SHA-256 (hex). For a large body it takes tens of milliseconds, so it runs on another thread. */
export async function hashBody(body: Buffer): Promise<string> {
  if (body.length < LARGE_BODY_BYTES) return hash('sha256', body, 'hex')
  return Buffer.from(await crypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>)).toString('hex')
}

/** Repeats the first response. The bodies are equal, so the trace began with as many steps as this one has. */
async function replay(
  dependencies: CommitTraceDependencies,
  { projectId, traceId: id }: TraceKey,
  stepCount: number,
): Promise<CommitReceipt> {
  const range = { projectId, traceId: id, fromPosition: 0, limit: stepCount, maxVersion: Number.MAX_SAFE_INTEGER }
  const heads = stepCount === 0 ? [] : await dependencies.store.findStepHeads(range)
  const stepIds = heads.map((step) => step.id)
  return { id, stepIds, committedAt: await createdAt(dependencies, projectId, id), replayed: true }
}

async function createdAt(
  { store, watermark }: CommitTraceDependencies,
  projectId: ProjectId,
  id: TraceId,
): Promise<number> {
  const { version, idLeadMs } = watermark()
  if (idLeadMs === 0) return timeOfId(id)
  const [trace] = await store.findTraces(projectId, [id], version)
  // If the trace has been purged, nothing else is known.
  return trace?.createdAt ?? timeOfId(id)
}

function conflict(): DomainError {
  return new DomainError('idempotency_conflict', 'This Idempotency-Key was used with another body.')
}
