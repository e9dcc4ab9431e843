import type { StepId } from '@spoor/contract/ids'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TokenUsage, TraceDigest, TraceRecord } from '../../ports/traces/trace-record.ts'
import { EMPTY_DIGEST, withoutTokens, withStep } from './trace-digest.ts'

/** Sums over the steps of a trace. Times in milliseconds, `null` if no step has one. */
export interface StepRollup {
  readonly stepCount: number
  readonly failed: boolean
  readonly tokenUsage: TokenUsage
  readonly models: readonly string[]
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly bodyBytes: number
  readonly lastStepId: StepId | null
  /** See TraceRecord. */
  readonly digest: TraceDigest
}

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

export const NO_STEPS: StepRollup = {
  stepCount: 0,
  failed: false,
  tokenUsage: NO_TOKENS,
  models: [],
  startedAt: null,
  endedAt: null,
  bodyBytes: 0,
  lastStepId: null,
  digest: EMPTY_DIGEST,
}

/** Only the first models of a trace are listed and searchable, so that its row in a list stays small. */
const MOST_MODELS = 100

/** The sums after `steps` arrived. The caller passes `lastStepId`, because the commit assigns ids. */
export function addSteps(before: StepRollup, steps: readonly PreparedStep[], lastStepId: StepId | null): StepRollup {
  const tokens = { ...before.tokenUsage }
  const models = new Set(before.models)
  let { failed, startedAt, endedAt, bodyBytes, digest } = before
  for (const [index, step] of steps.entries()) {
    digest = withStep(digest, before.stepCount + index, step)
    if (step.status === 'error') failed = true
    if (step.model !== null && models.size < MOST_MODELS) models.add(step.model)
    if (step.tokenUsage !== null) addTokens(tokens, step.tokenUsage)
    startedAt = earliest(startedAt, step.startedAt)
    endedAt = latest(endedAt, step.endedAt)
    bodyBytes += step.body.length
  }
  return {
    stepCount: before.stepCount + steps.length,
    failed,
    tokenUsage: tokens,
    models: models.size === before.models.length ? before.models : [...models].sort(),
    startedAt,
    endedAt,
    bodyBytes,
    lastStepId: lastStepId ?? before.lastStepId,
    digest,
  }
}

/** The sums after a version of a step was replaced by another. A model, an error and a text that it had once stay. */
export function replaceStep(before: StepRollup, old: StepRecord, step: PreparedStep): StepRollup {
  const added = addSteps(before, [step], null)
  const minus = (sum: number, of: number) => Math.max(0, sum - of)
  const { input, output, cacheRead, cacheWrite, reasoning } = added.tokenUsage
  const { digest } = before
  return {
    ...added,
    digest: withStep(withoutTokens(digest, old), old.position, step),
    stepCount: before.stepCount,
    bodyBytes: minus(added.bodyBytes, Buffer.byteLength(old.body)),
    tokenUsage: {
      input: minus(input, old.tokenUsage.input),
      output: minus(output, old.tokenUsage.output),
      cacheRead: minus(cacheRead, old.tokenUsage.cacheRead),
      cacheWrite: minus(cacheWrite, old.tokenUsage.cacheWrite),
      reasoning: minus(reasoning, old.tokenUsage.reasoning),
    },
  }
}

function addTokens(sum: { -readonly [K in keyof TokenUsage]: number }, more: TokenUsage): void {
  sum.input = boundedSum(sum.input, more.input)
  sum.output = boundedSum(sum.output, more.output)
  sum.cacheRead = boundedSum(sum.cacheRead, more.cacheRead)
  sum.cacheWrite = boundedSum(sum.cacheWrite, more.cacheWrite)
  sum.reasoning = boundedSum(sum.reasoning, more.reasoning)
}

/** Counts stay exact integers: a sum saturates at 2^53 - 1 tokens. */
function boundedSum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER)
}

export function earliest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b)
}

export function latest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b)
}

export function rollupOf(trace: TraceRecord): StepRollup {
  return {
    stepCount: trace.stepCount,
    failed: trace.stepsFailed,
    tokenUsage: trace.tokenUsage,
    models: trace.models,
    startedAt: trace.stepsStartedAt,
    endedAt: trace.stepsEndedAt,
    bodyBytes: trace.bodyBytes,
    lastStepId: trace.lastStepId,
    digest: trace.digest,
  }
}

/** The fields of a trace that are computed from its steps. */
export function sumsOf(rollup: StepRollup) {
  return {
    stepsFailed: rollup.failed,
    stepCount: rollup.stepCount,
    tokenUsage: rollup.tokenUsage,
    models: rollup.models,
    stepsStartedAt: rollup.startedAt,
    stepsEndedAt: rollup.endedAt,
    bodyBytes: rollup.bodyBytes,
    lastStepId: rollup.lastStepId,
    digest: rollup.digest,
  } satisfies Partial<TraceRecord>
}

/** The same trace with these sums, and with the status that follows from them. */
export function withRollup(trace: TraceRecord, rollup: StepRollup): TraceRecord {
  const status = trace.ownStatus === 'error' || rollup.failed ? 'error' : 'ok'
  return { ...trace, status, ...sumsOf(rollup) }
}

/**
 * From start to end in milliseconds: by the trace's own times, else by those of its steps. Null if either is unknown.
 */
export function durationOf(trace: TraceRecord): number | null {
  const start = trace.ownStartedAt ?? trace.stepsStartedAt
  const end = trace.ownEndedAt ?? trace.stepsEndedAt
  return start === null || end === null ? null : Math.max(0, end - start)
}

export function totalTokens(usage: TokenUsage): number {
  return boundedSum(usage.input, usage.output)
}
