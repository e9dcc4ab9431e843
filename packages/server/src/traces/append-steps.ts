import type { TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { ByteBudget } from '../lib/byte-budget.ts'
import { DomainError } from '../lib/domain-error.ts'
import { createLineSplitter, type SplitLine } from '../lib/ndjson.ts'
import type { StepVerdict } from './commit-batch.ts'
import { traceNotFound } from './change-trace.ts'
import type { GroupCommitter } from './group-committer.ts'
import { parseStep } from './parse-step.ts'
import type { PreparedStep } from './prepared.ts'
import type { TraceCache } from './trace-cache.ts'
import type { AppendStepsRequest, LineVerdict } from './use-cases.ts'

export interface AppendStepsDependencies {
  readonly committer: Pick<GroupCommitter, 'submit' | 'refusal' | 'room'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly limits: Limits
  /** Charged with what streams have read and not submitted. */
  readonly budget: ByteBudget
}

/** A group is submitted when it has reached either of these, or sooner when nothing of the stream is being committed. */
const GROUP_BYTES = 1024 * 1024
const GROUP_LINES = 2000
/** Groups submitted and not yet answered: one that is being written and one that waits its turn. */
const GROUPS_AHEAD = 2
/** How often a stream under way asks again for room in a full queue before it gives the lines up. */
const ROOM_TRIES = 20
/** About what a waiting step holds besides its body and text, bytes. */
const STEP_OVERHEAD_BYTES = 500

/** A line that waits for its commit, or that has its verdict already. */
type PendingLine = { readonly line: number; readonly step: PreparedStep } | LineVerdict

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
  if ((await cache.hold(projectId, traceId)) === null) throw traceNotFound(traceId)
  const input = chunks[Symbol.asyncIterator]()
  const group = new LineGroup(limits, budget)
  const outstanding: Promise<readonly LineVerdict[]>[] = []
  const submit = () => {
    const written = commitGroup(dependencies, traceId, group.take())
    // The generator may be left before this is awaited; the error is seen by whoever awaits it.
    written.catch(() => undefined)
    outstanding.push(written)
  }
  let ended = false
  let failure: { readonly error: unknown } | null = null
  let reading: Promise<'read'> | null = null
  try {
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
      if (group.lines > 0 && due && outstanding.length < GROUPS_AHEAD) submit()
    }
    if (failure !== null) throw (failure as { error: unknown }).error
  } finally {
    // A consumer that leaves early leaves groups behind that still need the trace.
    void Promise.allSettled(outstanding).then(() => cache.release(traceId))
    group.letGo()
    await input.return?.()
  }
}

/** Lines read and not yet submitted. */
class LineGroup {
  readonly #limits: Limits
  readonly #budget: ByteBudget
  #charged = 0
  readonly #splitter
  #pending: PendingLine[] = []
  #bytes = 0
  #received = 0
  /** True once the request has grown past its limit: nothing after that is read. */
  stopped = false

  constructor(limits: Limits, budget: ByteBudget) {
    this.#limits = limits
    this.#budget = budget
    this.#splitter = createLineSplitter(limits.lineBytes)
  }

  get lines(): number {
    return this.#pending.length
  }

  get full(): boolean {
    return this.#bytes >= GROUP_BYTES || this.#pending.length >= GROUP_LINES
  }

  add(chunk: Buffer): void {
    if (this.stopped) return
    const room = this.#limits.ndjsonRequestBytes - this.#received
    this.#received += chunk.length
    for (const line of this.#splitter.push(chunk.length > room ? chunk.subarray(0, room) : chunk)) this.#judge(line)
    if (chunk.length > room) {
      this.stopped = true
      this.#pending.push({
        line: this.#splitter.nextLine,
        status: 'error',
        code: 'request_too_large',
        detail: `The request is longer than ${this.#limits.ndjsonRequestBytes} bytes; this line and later ones were not read.`,
        pointer: null,
      })
    }
    this.#charge()
  }

  /** A last line without its line end counts only when the body ended as it should. */
  end(): void {
    if (this.stopped) return
    for (const line of this.#splitter.end()) this.#judge(line)
  }

  take(): PendingLine[] {
    const taken = this.#pending
    this.#pending = []
    this.#bytes = 0
    this.#charge()
    return taken
  }

  /** Gives back what is still charged, and takes nothing more: a read may still be under way. */
  letGo(): void {
    this.stopped = true
    this.#budget.release(this.#charged)
    this.#charged = 0
  }

  /** Keeps the shared budget in step with what is held. Throws when there is no room for more: the stream ends there. */
  #charge(): void {
    const held = this.#bytes + this.#splitter.heldBytes
    const more = held - this.#charged
    if (more < 0) this.#budget.release(-more)
    else if (!this.#budget.tryTake(more)) {
      throw new DomainError(
        'queue_full',
        'More is being sent than the service may hold in memory; send the rest again.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    this.#charged = held
  }

  #judge(line: SplitLine): void {
    if (line.kind === 'too_large') {
      const detail = `The line is longer than ${this.#limits.lineBytes} bytes.`
      this.#pending.push({ line: line.number, status: 'error', code: 'line_too_large', detail, pointer: null })
      return
    }
    try {
      const step = parseStep(line.bytes, this.#limits)
      this.#pending.push({ line: line.number, step })
      this.#bytes += line.bytes.length
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      this.#pending.push(toVerdict(line.number, error))
    }
  }
}

/** The first field error says more than the general one; the pointer names the field. */
function toVerdict(line: number, error: DomainError): LineVerdict {
  const first = error.errors[0]
  if (first === undefined) return { line, status: 'error', code: error.code, detail: error.message, pointer: null }
  const detail = error.errors.map((field) => field.detail).join(' ')
  return { line, status: 'error', code: first.code, detail, pointer: first.pointer }
}

async function commitGroup(
  { committer }: AppendStepsDependencies,
  traceId: TraceId,
  pending: readonly PendingLine[],
): Promise<readonly LineVerdict[]> {
  const steps = pending.flatMap((line) => ('step' in line ? [line.step] : []))
  const verdicts = steps.length === 0 ? [] : await commitWhenRoom(committer, traceId, steps)
  let next = 0
  return pending.map((line) => {
    if (!('step' in line)) return line
    const verdict = verdicts[next++] as StepVerdict | DomainError
    if (verdict instanceof DomainError) return toVerdict(line.line, verdict)
    return verdict.status === 'error' ? { line: line.line, ...verdict, pointer: null } : { line: line.line, ...verdict }
  })
}

/** A stream under way waits for room in a full queue for a while; whatever else keeps its steps from being written is their verdict. */
async function commitWhenRoom(
  committer: AppendStepsDependencies['committer'],
  traceId: TraceId,
  steps: readonly PreparedStep[],
): Promise<readonly (StepVerdict | DomainError)[]> {
  const bytes = steps.reduce((sum, step) => sum + step.body.length + step.searchText.length + STEP_OVERHEAD_BYTES, 0)
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
