import { mayAnswer } from '@spoor/contract/said-text'
import type { PricedTokens } from '../../ports/prices/price.ts'
import type { PreparedStep, StepSaid } from '../../ports/traces/prepared.ts'
import type { ModelUsage, SaidText, TokenUsage, TraceDigest } from '../../ports/traces/trace-record.ts'

export const EMPTY_DIGEST: TraceDigest = { input: null, output: null, error: null, usage: [], errorTypes: [] }

/** A trace that uses more models has no cost in lists, so that its row stays small. */
export const MOST_PRICED_MODELS = 100
/** Only the first types of errors of a trace are found, so that its row stays small. */
const MOST_ERROR_TYPES = 100

/** What a digest takes from a step. */
export type DigestedStep = Pick<PreparedStep, 'type' | 'model' | 'status' | 'tokenUsage'> & { readonly said: StepSaid }

/** The digest after a step arrived at this position, or replaced the step there. Steps come in any order. */
export function withStep(before: TraceDigest, at: number, step: DigestedStep): TraceDigest {
  const { input, output, error, errorType } = step.said
  return {
    input: first(before.input, at, input),
    output: last(before.output, at, mayAnswer(step.type) ? output : null),
    error: first(before.error, at, step.status === 'error' ? error : null),
    usage: withUsage(before.usage, step, 1),
    errorTypes: withErrorType(before.errorTypes, errorType),
  }
}

/** The digest before a step is replaced: without its tokens. Its texts stay until the other step has some. */
export function withoutTokens(before: TraceDigest, step: Pick<DigestedStep, 'model' | 'tokenUsage'>): TraceDigest {
  return { ...before, usage: withUsage(before.usage, step, -1) }
}

function first(before: SaidText | null, at: number, text: string | null): SaidText | null {
  return text === null || (before !== null && before.at < at) ? before : { at, text }
}

function last(before: SaidText | null, at: number, text: string | null): SaidText | null {
  return text === null || (before !== null && before.at > at) ? before : { at, text }
}

function withErrorType(before: readonly string[], type: string | null): readonly string[] {
  return type === null || before.length === MOST_ERROR_TYPES || before.includes(type) ? before : [...before, type]
}

/** Steps that name no model or used no tokens have no cost (pricing/trace-cost.ts). */
function withUsage(
  before: TraceDigest['usage'],
  { model, tokenUsage }: Pick<DigestedStep, 'model' | 'tokenUsage'>,
  sign: 1 | -1,
): TraceDigest['usage'] {
  if (before === null || model === null || tokenUsage === null) return before
  const added = toPricedTokens(tokenUsage)
  if (isNothing(added)) return before
  const known = before.find((usage) => usage.model === model)
  if (known === undefined && before.length === MOST_PRICED_MODELS) return null
  const tokens = sumOf(known?.tokens ?? NOTHING, added, sign)
  const usage: ModelUsage = { model, tokens }
  if (known === undefined) return [...before, usage]
  return before.flatMap((each) => (each !== known ? [each] : isNothing(tokens) ? [] : [usage]))
}

const NOTHING: PricedTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

function toPricedTokens({ input, output, cacheRead, cacheWrite }: TokenUsage): PricedTokens {
  return { input: bounded(Math.max(input, cacheRead + cacheWrite)), output, cacheRead, cacheWrite }
}

function sumOf(a: PricedTokens, b: PricedTokens, sign: 1 | -1): PricedTokens {
  return {
    input: bounded(a.input + sign * b.input),
    output: bounded(a.output + sign * b.output),
    cacheRead: bounded(a.cacheRead + sign * b.cacheRead),
    cacheWrite: bounded(a.cacheWrite + sign * b.cacheWrite),
  }
}

/** Counts stay exact integers. */
function bounded(sum: number): number {
  return Math.max(0, Math.min(sum, Number.MAX_SAFE_INTEGER))
}

function isNothing({ input, output, cacheRead, cacheWrite }: PricedTokens): boolean {
  return input === 0 && output === 0 && cacheRead === 0 && cacheWrite === 0
}
