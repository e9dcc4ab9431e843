import type { StepId } from '@spoor/contract/ids'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { StepUsage, TokenUsage, TraceDigest, TraceRecord } from '../../ports/traces/trace-record.ts'
import {
  billingOf,
  billOfStep,
  billOfUsage,
  bounded,
  type ContextLimit,
  toCounts,
  usageOfBill,
  usageOfStep,
} from '../../ports/prices/bill.ts'
import { withCalls, withoutCalls } from './run-calls.ts'
import { EMPTY_DIGEST, withStep } from './trace-digest.ts'
import type { UsageTree } from './usage-tree.ts'

/** Sums over the steps of a trace. Times in milliseconds, `null` if no step has one. */
export interface StepRollup extends Pick<
  TraceRecord,
  'stepCount' | 'failedSteps' | 'tokenUsage' | 'models' | 'bodyBytes' | 'lastStepId' | 'digest'
> {
  readonly startedAt: number | null
  readonly endedAt: number | null
}

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
export const NO_USAGE: StepUsage = { ...NO_TOKENS, more: null }

export const NO_STEPS: StepRollup = {
  stepCount: 0,
  failedSteps: 0,
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

export interface IdentifiedStep {
  readonly id: StepId
  readonly prepared: PreparedStep
  readonly position: number
}

/** The sums after these steps arrived. Their usage is counted by the tree, which it changes, if there is one. */
export function addSteps(
  before: StepRollup,
  steps: readonly IdentifiedStep[],
  tree: UsageTree | null,
  contextLimit: ContextLimit,
): StepRollup {
  const models = new Set(before.models)
  let { failedSteps, startedAt, endedAt, bodyBytes, digest } = before
  let { calls } = digest
  for (const { prepared: step, position } of steps) {
    digest = withStep(digest, position, step)
    if (position < before.stepCount) calls = withoutCalls(calls, position)
    calls = withCalls(calls, position, step, step.type === 'llm' ? usageOfStep(step, contextLimit) : [])
    if (step.status === 'error') failedSteps += 1
    if (step.model !== null && models.size < MOST_MODELS) models.add(step.model)
    startedAt = earliest(startedAt, step.startedAt)
    endedAt = latest(endedAt, step.endedAt)
    bodyBytes += step.body.length
  }
  const counted = tree === null ? plainUsage(before, steps, contextLimit) : usageByTree(tree, steps)
  return {
    stepCount: before.stepCount + steps.length,
    failedSteps,
    tokenUsage: counted.tokenUsage,
    models: models.size === before.models.length ? before.models : [...models].sort(),
    startedAt,
    endedAt,
    bodyBytes,
    lastStepId: steps.at(-1)?.id ?? before.lastStepId,
    digest: { ...digest, calls, ...counted.digest },
  }
}

interface Counted {
  readonly tokenUsage: TokenUsage
  readonly digest: Partial<TraceDigest>
}

function usageByTree(tree: UsageTree, steps: readonly IdentifiedStep[]): Counted {
  for (const { id, prepared } of steps) tree.set(id, prepared.parentStepId, prepared.model, prepared.tokenUsage)
  const nesting = tree.overlaps ? 'overlaps' : 'nested'
  return { tokenUsage: tree.tokens, digest: { usage: tree.usage, nesting } }
}

function plainUsage(
  { tokenUsage, digest }: StepRollup,
  steps: readonly IdentifiedStep[],
  contextLimit: ContextLimit,
): Counted {
  const using = steps.filter(({ prepared }) => prepared.tokenUsage !== null)
  if (using.length === 0) return { tokenUsage, digest: {} }
  const tokens = { ...tokenUsage }
  const bill = digest.usage === null ? null : billOfUsage(digest.usage)
  for (const { prepared } of using) {
    const used = prepared.tokenUsage as StepUsage
    for (const kind of TOKENS) tokens[kind] = bounded(tokens[kind] + used[kind])
    if (bill !== null) billOfStep(billingOf(prepared.model, used, contextLimit), toCounts(used), bill)
  }
  return { tokenUsage: tokens, digest: { usage: bill === null ? null : usageOfBill(bill) } }
}

const TOKENS = Object.keys(NO_TOKENS) as (keyof TokenUsage)[]

/** The sums after a version of a step was replaced by another. A model and a text that it had once stay. */
export function replaceStep(before: StepRollup, old: StepRecord, prepared: PreparedStep, tree: UsageTree): StepRollup {
  const step = { id: old.id, position: old.position, prepared }
  const added = addSteps(before, [step], tree, () => null)
  return {
    ...added,
    stepCount: before.stepCount,
    failedSteps: added.failedSteps - (old.status === 'error' ? 1 : 0),
    lastStepId: before.lastStepId,
    bodyBytes: Math.max(0, added.bodyBytes - Buffer.byteLength(old.body)),
  }
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
    failedSteps: trace.failedSteps,
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
    failedSteps: rollup.failedSteps,
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
  return withStatus({ ...trace, ...sumsOf(rollup) })
}

/** By its steps. A run of spans has recovered if a call of a model went well after the last failure. */
function hasFailed({ failedSteps, spans, digest: { failedAt, answeredAt } }: TraceRecord): boolean {
  return failedSteps > 0 && (spans === null || (answeredAt ?? -1) <= (failedAt ?? 0))
}

/**
 * The run's own word decides: what the client set, else how the root ended. Failed steps decide while neither says it;
 * of a trace without an ended root, once it has been quiet for a while, because a run that goes on may recover.
 */
export function withStatus(trace: TraceRecord): TraceRecord {
  const { ownStatus, spans } = trace
  const said = ownStatus ?? spans?.rootStatus ?? null
  if (said === 'ok' || said === 'error') return { ...trace, status: said }
  const isDecided = spans === null || said === 'unset' || spans.isGivenUp === true
  return { ...trace, status: isDecided && hasFailed(trace) ? 'error' : 'ok' }
}

/** Whether only failed steps say how the run ended, and it may go on. */
export function isUndecided({ spans, ownStatus, failedSteps }: TraceRecord): boolean {
  return failedSteps > 0 && ownStatus === null && spans?.rootStatus === null && spans.isGivenUp !== true
}

/** Failed steps of a run that is ok. */
export function recoveredErrors({ status, failedSteps }: Pick<TraceRecord, 'status' | 'failedSteps'>): number {
  return status === 'ok' ? failedSteps : 0
}

/**
 * From start to end in milliseconds: by the trace's own times, else by those of its steps. Null if either is unknown.
 */
export function durationOf(trace: TraceRecord): number | null {
  const start = trace.ownStartedAt ?? trace.stepsStartedAt
  const end = trace.ownEndedAt ?? trace.stepsEndedAt
  return between(start, end)
}

/** Milliseconds; null if either is unknown. */
export function between(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start)
}

export function totalTokens(usage: TokenUsage): number {
  return bounded(usage.input + usage.output)
}
