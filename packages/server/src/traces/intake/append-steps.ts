import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { Masking } from '@spoor/contract/schemas/masking'
import type { ByteBudget } from '../../lib/flow/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { processLines, type LineWriter } from '../../lib/lines/process-lines.ts'
import { LineGroup, type PendingLine, toRefusal } from '../../lib/lines/line-group.ts'
import { planAppend, type StepVerdict } from '../commit/plan/append.ts'
import { stepKeyNames } from '../commit/plan/step-keys.ts'
import { traceNotFound } from '../commit/change-trace.ts'
import type { GroupCommitter } from '../commit/group-committer.ts'
import {
  assumedMedia,
  type FindMedia,
  type LinkableMedia,
  linkedMedia,
  mayLinkMedia,
  missingMediaOf,
  parseLinked,
} from './linkable-media.ts'
import type { StepKey } from '../../ports/journal/journal.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../parse-thread/large-bodies.ts'
import { compileMasking } from '../../lib/masking/masker.ts'
import { mapOutcome } from '../../lib/validation/refusal.ts'
import { maskStep } from './mask-prepared.ts'
import { parseStep } from './parse-step.ts'
import { type PreparedStep, preparedStepBytes } from '../../ports/traces/prepared.ts'
import type { InTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { patiently } from '../commit/submit-patiently.ts'
import type { TraceCache } from '../commit/trace-cache.ts'
import type { AppendStepsRequest, LineVerdict } from '../use-cases.ts'

export interface AppendStepsDependencies {
  readonly committer: Pick<GroupCommitter, 'submit' | 'refusal' | 'nextCommit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release' | 'loadTree'>
  readonly limits: Limits
  readonly media: LinkableMedia
  /** What the project masks when the stream begins; null: nothing. */
  readonly maskingOf: (projectId: ProjectId) => Promise<Masking | null>
  /** Charged with bytes that streams have read and not yet submitted. */
  readonly budget: ByteBudget
  /** Lines are parsed in time slices. */
  readonly work: WorkTurns
  /** Large lines are parsed in a thread. */
  readonly largeBodies: Pick<LargeBodies, 'parseStep'>
  /** See taken-step-ids.ts. */
  refuseTakenStepIds(
    projectId: ProjectId,
    traceId: TraceId,
    lines: readonly PendingLine<PreparedStep>[],
  ): Promise<readonly PendingLine<PreparedStep>[]>
}

/** A group is full when it reaches either limit. */
const GROUP_BYTES = 1024 * 1024
const GROUP_LINES = 2000

/**
 * `POST /v1/traces/:id/steps`. Lines are parsed as they arrive, committed in groups, and answered in order. The next
 * group is read while one is written. Then reading pauses until the consumer has taken the verdicts, so memory is
 * bounded for any length of stream.
 */
export async function appendSteps(
  dependencies: AppendStepsDependencies,
  request: AppendStepsRequest,
): Promise<AsyncIterable<readonly LineVerdict[]>> {
  const { cache, committer } = dependencies
  const { projectId, traceId } = request
  const refusal = committer.refusal()
  if (refusal !== null) throw refusal
  if ((await cache.hold(projectId, traceId)) === null) throw traceNotFound(traceId)
  // The run holds it again, so that an iteration that is never started holds nothing.
  cache.release(traceId)
  return run(dependencies, request)
}

async function* run(
  dependencies: AppendStepsDependencies,
  { projectId, traceId, chunks }: AppendStepsRequest,
): AsyncGenerator<readonly LineVerdict[]> {
  const { cache, limits, budget, work, largeBodies } = dependencies
  const held = await cache.hold(projectId, traceId)
  if (held === null) throw traceNotFound(traceId)
  const assumed = assumedMedia(projectId)
  const missing = missingMediaOf(dependencies.media, projectId)
  const masking = await dependencies.maskingOf(projectId)
  const masker = await compileMasking(masking)
  const parse = (bytes: Buffer, findMedia: FindMedia) =>
    mapOutcome(parseStep(bytes, limits, findMedia), (step) => maskStep(step, masker))
  // Each commit writes the whole trace again, and memory holds it while the stream is open.
  const ownBytes = held.metadata.length
  const group = new LineGroup<PreparedStep>({
    parse: (bytes) => parse(bytes, assumed),
    deferred: {
      takes: (bytes) => bytes.length >= LARGE_BODY_BYTES || mayLinkMedia(bytes),
      parse: (bytes) =>
        bytes.length >= LARGE_BODY_BYTES
          ? largeBodies.parseStep({ projectId, bytes, missing, masking })
          : parseLinked(projectId, missing, (findMedia) => parse(bytes, findMedia)),
    },
    refuse: toRefusal,
    lineBytes: limits.lineBytes,
    requestBytes: limits.ndjsonRequestBytes,
    groupBytes: GROUP_BYTES,
    groupLines: GROUP_LINES,
    budget: budget.account(projectId),
    ownBytes,
  })
  const inTurns: InTurns = (step) => work.steps(projectId, step)
  const writer: LineWriter<PreparedStep, readonly PendingLine<PreparedStep>[], LineVerdict> = {
    prepare: (pending) => dependencies.refuseTakenStepIds(projectId, traceId, pending),
    write: (pending) => commitGroup(dependencies, projectId, traceId, ownBytes, pending),
    // When a consumer leaves early, outstanding groups still need the trace.
    ended: (outstanding) => void Promise.allSettled(outstanding).then(() => cache.release(traceId)),
  }
  yield* processLines(chunks, group, writer, inTurns)
}

async function commitGroup(
  dependencies: AppendStepsDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  traceBytes: number,
  pending: readonly PendingLine<PreparedStep>[],
): Promise<readonly LineVerdict[]> {
  const steps = pending.flatMap((line) => ('parsed' in line ? [line.parsed] : []))
  const verdicts =
    steps.length === 0 ? [] : await commitWithRetries(dependencies, { projectId, traceId }, traceBytes, steps)
  let next = 0
  return pending.map((line) => {
    if (!('parsed' in line)) return line
    const verdict = verdicts[next++] as StepVerdict | DomainError
    if (verdict instanceof DomainError) return toRefusal(line.line, verdict)
    if (verdict.status !== 'error') return { line: line.line, ...verdict }
    return { line: line.line, ...verdict, pointer: ABOUT_ATTACHMENTS.has(verdict.code) ? '/attachments' : null }
  })
}

const ABOUT_ATTACHMENTS: ReadonlySet<string> = new Set(['attachment_not_found', 'too_many'])

/** A stream waits for space in a full queue for a while. Any other refusal is the verdict on its steps. */
async function commitWithRetries(
  dependencies: AppendStepsDependencies,
  { projectId, traceId }: { readonly projectId: ProjectId; readonly traceId: TraceId },
  traceBytes: number,
  steps: readonly PreparedStep[],
): Promise<readonly (StepVerdict | DomainError)[]> {
  const bytes = steps.reduce((sum, step) => sum + preparedStepBytes(step), traceBytes)
  const media = linkedMedia(projectId, steps)
  const unknowns = { stepKeys: stepKeysOf(traceId, steps), media, attachments: media.length === 0 ? [] : [traceId] }
  try {
    const verdicts = await patiently(dependencies, () =>
      dependencies.committer.submit({
        owner: projectId,
        bytes,
        unknowns,
        apply: (batch) => planAppend(batch, traceId, steps),
      }),
    )
    // Deleted meanwhile: each line is answered as for a trace that does not exist.
    if (verdicts !== null) return verdicts
    const gone = traceNotFound(traceId)
    return steps.map(() => gone)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return steps.map(() => error)
  }
}

/** Keys by which steps may already be known. */
function stepKeysOf(traceId: TraceId, steps: readonly PreparedStep[]): Pick<StepKey, 'traceId' | 'key'>[] {
  return steps.flatMap((step) => stepKeyNames(step).map((key) => ({ traceId, key })))
}
