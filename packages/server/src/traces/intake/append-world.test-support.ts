import { DEFAULT_LIMITS, type Limits } from '@spoor/contract/limits'
import { ByteBudget } from '../../lib/flow/byte-budget.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { Outcome } from '../../lib/validation/refusal.ts'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { appendSteps } from './append-steps.ts'
import { CommitBatch } from '../commit/commit-batch.ts'
import type { CommitOperation } from '../commit/group-committer.ts'
import { parseStep } from './parse-step.ts'
import type { PreparedStep, StoredStep } from '../../ports/traces/prepared.ts'
import { commitContext, idAt, PROJECT, traceRecord } from '../trace-builders.test-support.ts'
import type { LineVerdict } from '../use-cases.ts'

const TRACE = idAt('tr', 1)

/** A committer and a parse thread that answer when the test tells them to, and a count of the trace's holders. */
export class AppendWorld {
  readonly submitted: {
    readonly steps: readonly StoredStep[]
    readonly bytes: number
    readonly answer: () => void
  }[] = []
  /** Large lines, in the order passed to the thread. */
  readonly handed: {
    readonly bytes: Buffer
    readonly answer: () => void
    readonly fail: (error: Error) => void
  }[] = []
  readonly budget: ByteBudget
  /** How many of the next submissions are refused. */
  full = 0
  queueWaits = 0
  holders = 0
  automatic = true
  automaticThread = true
  /** By default the clock stands still, so no work is deferred. */
  work = new WorkTurns({ ...systemWorkTurns, now: () => 0 })
  readonly #limits: Limits

  constructor(limits: Partial<Limits> = {}, budgetBytes = 64 * 1024 * 1024) {
    this.budget = new ByteBudget(budgetBytes)
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  append(chunks: AsyncIterable<Buffer>) {
    const committer = {
      refusal: () => null,
      nextCommit: async () => void this.queueWaits++,
      submit: <T>(operation: CommitOperation<T>) => this.#submit(operation),
    }
    const cache = {
      hold: async () => (this.holders++, traceRecord(TRACE)),
      release: () => void this.holders--,
      loadTree: async () => undefined,
    }
    return appendSteps(
      {
        committer,
        cache,
        limits: this.#limits,
        media: { existing: async () => new Set() },
        maskingOf: async () => null,
        budget: this.budget,
        work: this.work,
        largeBodies: { parseStep: ({ bytes }) => this.#hand(bytes) },
        refuseTakenStepIds: async (_project, _trace, lines) => lines,
      },
      { projectId: PROJECT, traceId: TRACE, chunks },
    )
  }

  #hand(bytes: Buffer): Promise<Outcome<PreparedStep>> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<PreparedStep>>()
    const answer = () => resolve(parseStep(bytes, this.#limits))
    this.handed.push({ bytes, answer, fail: reject })
    if (this.automaticThread) answer()
    return promise
  }

  #submit<T>(operation: CommitOperation<T>): Promise<T> {
    if (this.full > 0) {
      this.full--
      return Promise.reject(new DomainError('queue_full', 'full'))
    }
    const batch = new CommitBatch(commitContext({ currentTrace: traceRecord }))
    const verdicts = operation.apply(batch)
    const steps = batch.steps.map(({ prepared }) => prepared)
    const { promise, resolve } = Promise.withResolvers<T>()
    this.submitted.push({ steps, bytes: operation.bytes, answer: () => resolve(verdicts) })
    if (this.automatic) resolve(verdicts)
    return promise
  }
}

export function stepLine(index: number, extra: object = {}): Buffer {
  return Buffer.from(`${JSON.stringify({ name: `step ${index}`, ...extra })}\n`)
}

/** Runs everything that can proceed without the test. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function toText(verdict: LineVerdict): string {
  return `${verdict.line} ${verdict.status === 'error' ? verdict.code : verdict.status}`
}
