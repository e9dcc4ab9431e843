import type { TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { inSlices } from '../../lib/flow/in-slices.ts'
import { timeOfId } from '../../lib/ids/ids.ts'
import { compileMasking, ignoreHit } from '../../lib/masking/masker.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { Journal } from '../../ports/journal/journal.ts'
import { NO_UNKNOWNS, type Unknowns } from '../../ports/log/log.ts'
import { preparedTraceBytes } from '../../ports/traces/prepared.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import { BatchedLookUps } from '../commit/batched-look-ups.ts'
import { refuseBrokenUnicode } from '../commit/change-trace.ts'
import type { GroupCommitter } from '../commit/group-committer.ts'
import { filledKey, isFirst, planPart, type PlannedPart } from '../commit/plan/part.ts'
import { eventsKey, FIRST_PART, partKey, stepIdKey, stepKeyNames } from '../commit/plan/step-keys.ts'
import { keysOf, maskScore, scoreBytes } from '../commit/record-metric-events.ts'
import { patiently } from '../commit/submit-patiently.ts'
import type { TraceCache } from '../commit/trace-cache.ts'
import type { TracePartRequest, TraceUseCases } from '../use-cases.ts'
import { type CommitTraceDependencies, hashBody, parseBody } from './commit-trace.ts'
import { linkedMedia } from './linkable-media.ts'

export interface ImportTraceDependencies extends Omit<CommitTraceDependencies, 'store' | 'committer' | 'watermark'> {
  readonly committer: Pick<GroupCommitter, 'submit' | 'nextCommit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release' | 'loadTree'>
  readonly store: Pick<TraceReads, 'findTaken'>
  readonly journal: Pick<Journal, 'deletedAmong'>
  readonly clock: Clock
}

/** How often a part is tried whose trace others change at the same time. */
const TRIES = 10

/**
 * `PUT /v1/traces/:id`. The key of a part, among the step keys of the trace, is unique in the whole service: of two
 * imports of one id at once, in whatever projects, the second finds it.
 */
export function createImportTrace(dependencies: ImportTraceDependencies): TraceUseCases['importPart'] {
  const { cache, clock, log, store, journal } = dependencies
  const taken = new BatchedLookUps<TraceId, boolean>(async (_projectId, ids) => {
    const found = (await store.findTaken(ids)).union(await journal.deletedAmong(ids))
    return (id) => found.has(id)
  })
  return async (request) => {
    const { projectId, id, from, eventsFrom } = request
    const key = partKey(request)
    const before = eventsFrom === 0 ? FIRST_PART : eventsKey(eventsFrom)
    refuseBrokenUnicode(request.flagReason, '/flag_reason')
    if (timeOfId(id) > clock.now()) {
      const detail = `The id ${id} has a time that is in the future.`
      throw invalid({ pointer: '/id', code: 'out_of_range', detail })
    }
    const contentHash = await hashBody(request.sent)
    let planned: PlannedPart | null = null
    for (let tries = 1; tries <= TRIES; tries++) {
      const stepKeys = [...new Set([key, FIRST_PART, before])].map((one) => ({ traceId: id, key: one }))
      const found = await log.lookUp({ ...NO_UNKNOWNS, stepKeys })
      const known = found.stepKey(id, key)
      const isNew = key === FIRST_PART && known === undefined && !(await taken.find(projectId, id))
      const held = isNew ? null : await cache.hold(projectId, id)
      try {
        if (held === null && !isNew) throw key === FIRST_PART ? traceIdTaken(id) : missingParts(request, 0)
        if (held !== null) {
          if (known?.contentHash === contentHash) return 'replayed'
          // A trace that was not imported does not grow by parts.
          const isImported = found.stepKey(id, FIRST_PART) !== undefined
          if (known !== undefined || !isImported || from < held.stepCount) return 'exists'
          if (from > held.stepCount || found.stepKey(id, before) === undefined)
            throw missingParts(request, held.stepCount)
        }
        planned ??= await prepare(dependencies, request, contentHash)
        if (await commit(dependencies, planned)) return 'committed'
      } finally {
        if (held !== null) cache.release(id)
      }
    }
    throw new DomainError('storage_unavailable', 'Others keep writing to the trace; send the request again.', {
      retryAfterSeconds: 1,
    })
  }
}

async function prepare(
  dependencies: ImportTraceDependencies,
  request: TracePartRequest,
  contentHash: string,
): Promise<PlannedPart> {
  const { media, maskingOf } = dependencies
  const { projectId, id, from, eventsFrom, flagged, flagReason, createdBy } = request
  const missing = async (uris: readonly string[]) => {
    const existing = await media.existing(projectId, uris.map(hashOf))
    return new Set(uris.filter((uri) => !existing.has(hashOf(uri))))
  }
  const masking = await maskingOf(projectId)
  const masker = await compileMasking(masking)
  // The uris name media of the project that was exported; the bytes are those of this one.
  const body = { projectId: request.mediaProject ?? projectId, body: request.trace }
  const prepared = await parseBody(dependencies, body, missing, masking, 'part')
  const checked = await request.scores()
  const scores = masker === null ? checked : checked.map((score) => maskScore(score, masker))
  const reason = flagReason && (masker?.text(flagReason, 'reason', ignoreHit) ?? flagReason)
  const given = { id, flagged, flagReason: reason, key: partKey(request), contentHash }
  return { projectId, from, eventsFrom, given, prepared, scores, createdBy }
}

function commit(dependencies: ImportTraceDependencies, planned: PlannedPart): Promise<boolean> {
  const { projectId, prepared, scores } = planned
  return patiently(dependencies, () =>
    dependencies.committer.submit({
      owner: projectId,
      bytes: preparedTraceBytes(prepared) + scoreBytes(scores, () => prepared.metadata.length),
      unknowns: unknownsOf(planned),
      apply: (batch) => inSlices(planPart(batch, planned)),
    }),
  )
}

function unknownsOf(part: PlannedPart): Partial<Unknowns> {
  const { projectId, given, scores } = part
  const { steps } = part.prepared
  const traceId = given.id
  const filled = filledKey(part)
  const scored = scores.flatMap(({ stepId }) => (stepId === null ? [] : [stepIdKey({ id: stepId })]))
  const ofSteps = isFirst(part) ? [] : [...steps.flatMap(stepKeyNames), ...scored, ...(filled === null ? [] : [filled])]
  return {
    stepKeys: [given.key, ...ofSteps].map((key) => ({ traceId, key })),
    metricEventKeys: keysOf(scores),
    media: linkedMedia(projectId, steps),
    attachments: isFirst(part) ? [] : [traceId],
  }
}

const SHA256_LENGTH = 64

function hashOf(uri: string): string {
  return uri.slice(-SHA256_LENGTH)
}

function missingParts({ id, from, eventsFrom }: TracePartRequest, stepCount: number): DomainError {
  const before = eventsFrom === 0 ? `${from} steps` : `${from} steps and ${eventsFrom} metric events`
  const detail =
    `The part begins after ${before}, but not all of them were imported: in this project the trace ${id} has ` +
    `${stepCount} steps. Import the parts before it.`
  return invalid({ pointer: '/from', code: 'invalid_value', detail })
}

/** The same for all that may have the id, so that the answer does not say who has it. */
function traceIdTaken(id: TraceId): DomainError {
  return new DomainError('trace_id_taken', `The id ${id} is or was that of another trace.`)
}
