import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { ByteBudget } from '../lib/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'
import type { StepVerdict } from './commit-batch.ts'
import { traceNotFound } from './change-trace.ts'
import type { GroupCommitter } from './group-committer.ts'
import { LineGroup, type PendingLine, toVerdict } from './line-group.ts'
import { findMediaOf, type LinkableMedia } from './linkable-media.ts'
import type { PreparedStep } from './prepared.ts'
import type { TraceCache } from './trace-cache.ts'
import type { AppendStepsRequest, LineVerdict } from './use-cases.ts'

export interface AppendStepsDependencies {
  readonly committer: Pick<GroupCommitter, 'submit' | 'refusal' | 'room'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly limits: Limits
  readonly media: LinkableMedia
  /** Charged with what streams have read and not submitted. */
  readonly budget: ByteBudget
  /** See taken-step-ids.ts. */
  refuseTakenStepIds(
    projectId: ProjectId,
    traceId: TraceId,
    lines: readonly PendingLine[],
  ): Promise<readonly PendingLine[]>
}

/** Groups submitted and not yet answered: one that is being written and one that waits its turn. */
const GROUPS_AHEAD = 2
/** How often a stream under way asks again for room in a full queue before it gives the lines up. */
const ROOM_TRIES = 20
/** About what a waiting step holds besides its body and text, bytes. */
const STEP_OVERHEAD_BYTES = 500

/**
 * `POST /v1/traces/:id/steps`. Lines are parsed as they arrive, committed in groups, and answered in order. While a group is written the next is
 * read; after that the stream is not read on until the consumer has taken the verdicts, so memory stays flat however long it is.
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
  // Held again by the run itself, so that an iteration that is never started holds nothing.
  cache.release(traceId)
  return run(dependencies, request)
}

async function* run(
  dependencies: AppendStepsDependencies,
  { projectId, traceId, chunks }: AppendStepsRequest,
): AsyncGenerator<readonly LineVerdict[]> {
  const { cache, limits, budget } = dependencies
  const held = await cache.hold(projectId, traceId)
  if (held === null) throw traceNotFound(traceId)
  // Each commit writes the whole trace again, and memory holds it while the stream is open.
  const traceBytes = held.metadata.length
  const input = chunks[Symbol.asyncIterator]()
  const group = new LineGroup(limits, findMediaOf(dependencies.media, projectId), budget, traceBytes)
  const outstanding: Promise<readonly LineVerdict[]>[] = []
  // The look-up is awaited before the next group may be submitted: steps are kept in the order sent.
  const submit = async () => {
    const pending = await dependencies.refuseTakenStepIds(projectId, traceId, group.take())
    const written = commitGroup(dependencies, traceId, traceBytes, pending)
    // The generator may be left before this is awaited; the error is seen by whoever awaits it.
    written.catch(() => undefined)
    outstanding.push(written)
  }
  let ended = false
  let failure: { readonly error: unknown } | null = null
  let reading: Promise<'read'> | null = null
  try {
    group.charge()
    while (!ended || group.lines > 0 || outstanding.length > 0) {
      if (!ended && reading === null && (!group.full || outstanding.length < GROUPS_AHEAD)) {
        reading = input
          .next()
          .then((result) => {
            if (result.done !== true) return group.add(result.value)
            // Here and not when the race is over: a commit that ends in the same turn may win it, and nobody asks again.
            group.end()
            ended = true
          })
          .catch((error: unknown) => {
            ended = true
            failure = { error }
          })
          .then(() => 'read' as const)
      }
      const first = outstanding[0]
      const racers: Promise<'read' | 'written'>[] = []
      if (reading !== null) racers.push(reading)
      if (first !== undefined) racers.push(first.then(() => 'written' as const))
      if (racers.length > 0 && (await Promise.race(racers)) === 'read') {
        reading = null
      } else if (first !== undefined) {
        void outstanding.shift()
        yield await first
      }
      if (group.stopped) ended = true
      const due = outstanding.length === 0 || group.full || ended
      if (group.lines > 0 && due && outstanding.length < GROUPS_AHEAD) await submit()
    }
    if (failure !== null) throw (failure as { error: unknown }).error
  } finally {
    // A consumer that leaves early leaves groups behind that still need the trace.
    void Promise.allSettled(outstanding).then(() => cache.release(traceId))
    group.letGo()
    await input.return?.()
  }
}

async function commitGroup(
  { committer }: AppendStepsDependencies,
  traceId: TraceId,
  traceBytes: number,
  pending: readonly PendingLine[],
): Promise<readonly LineVerdict[]> {
  const steps = pending.flatMap((line) => ('step' in line ? [line.step] : []))
  const verdicts = steps.length === 0 ? [] : await commitWhenRoom(committer, traceId, traceBytes, steps)
  let next = 0
  return pending.map((line) => {
    if (!('step' in line)) return line
    const verdict = verdicts[next++] as StepVerdict | DomainError
    if (verdict instanceof DomainError) return toVerdict(line.line, verdict)
    if (verdict.status !== 'error') return { line: line.line, ...verdict }
    return { line: line.line, ...verdict, pointer: ABOUT_ATTACHMENTS.has(verdict.code) ? '/attachments' : null }
  })
}

const ABOUT_ATTACHMENTS: ReadonlySet<string> = new Set(['attachment_not_found', 'too_many'])

/** A stream under way waits for room in a full queue for a while; whatever else keeps its steps from being written is their verdict. */
async function commitWhenRoom(
  committer: AppendStepsDependencies['committer'],
  traceId: TraceId,
  traceBytes: number,
  steps: readonly PreparedStep[],
): Promise<readonly (StepVerdict | DomainError)[]> {
  const stepBytes = (step: PreparedStep) => step.body.length + step.searchText.length + STEP_OVERHEAD_BYTES
  const bytes = steps.reduce((sum, step) => sum + stepBytes(step), traceBytes)
  for (let tries = 1; ; tries += 1) {
    try {
      const verdicts = await committer.submit({ bytes, apply: (batch) => batch.append(traceId, steps) })
      // Deleted meanwhile: each line is answered as for a trace that does not exist.
      return verdicts ?? steps.map(() => traceNotFound(traceId))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.code !== 'queue_full' || tries === ROOM_TRIES) return steps.map(() => error)
      await committer.room()
    }
  }
}
