import { mayAnswer } from '@spoor/contract/said-text'
import type { MaskedCounts, PreparedStep, StepSaid } from '../../ports/traces/prepared.ts'
import { NO_CALLS_YET } from './run-calls.ts'
import type { SaidText, TraceDigest } from '../../ports/traces/trace-record.ts'

export const EMPTY_DIGEST: TraceDigest = {
  input: null,
  output: null,
  error: null,
  usage: [],
  nesting: 'none',
  failedAt: null,
  answeredAt: null,
  errorTypes: [],
  calls: NO_CALLS_YET,
}

/** Only the first types of errors of a trace are found, so that its row stays small. */
const MOST_ERROR_TYPES = 100

/** What a digest takes from a step, beside its usage. */
export type DigestedStep = Pick<
  PreparedStep,
  'type' | 'status' | 'startedAt' | 'endedAt' | 'parentStepId' | 'masked'
> & {
  readonly mayBeRoot?: true
  readonly said: StepSaid
}

/** The texts after a step arrived at this position, or replaced the step there. Steps come in any order. */
export function withStep(before: TraceDigest, at: number, step: DigestedStep): TraceDigest {
  const { input, output, error, errorType } = step.said
  const isRoot = step.mayBeRoot === true && step.parentStepId === null
  const begins = { isRoot, time: step.startedAt, at }
  return {
    ...withMasked(before, step.masked),
    input: better(before.input, input, begins, isEarlier),
    output: better(before.output, mayAnswer(step.type) ? output : null, { isRoot, time: step.endedAt, at }, isLater),
    error: better(before.error, step.status === 'error' ? error : null, begins, isEarlier),
    ...ends(before, step),
    errorTypes: withErrorType(before.errorTypes, errorType),
  }
}

/** With these counts added. */
export function withMasked(before: TraceDigest, added: MaskedCounts | undefined): TraceDigest {
  if (added === undefined) return before
  const masked: Record<string, number> = { ...before.masked }
  for (const [rule, times] of Object.entries(added))
    masked[rule] = (Object.hasOwn(masked, rule) ? masked[rule]! : 0) + times
  return { ...before, masked }
}

function ends({ failedAt, answeredAt }: TraceDigest, { type, status, startedAt, endedAt }: DigestedStep) {
  const at = endedAt ?? startedAt ?? 0
  if (status === 'error') return { failedAt: Math.max(failedAt ?? 0, at) }
  return type === 'llm' && endedAt !== null ? { answeredAt: Math.max(answeredAt ?? 0, at) } : {}
}

type Place = Omit<SaidText, 'text'>

function better(
  known: SaidText | null,
  text: string | null,
  place: Place,
  isBetter: (place: Place, known: Place) => boolean,
): SaidText | null {
  if (text === null) return known
  const isNew = known === null || known.at === place.at
  if (!isNew && (known.isRoot === place.isRoot ? !isBetter(place, known) : known.isRoot)) return known
  return { text, ...place }
}

function isEarlier(a: Place, b: Place): boolean {
  const [began, other] = [a.time ?? Infinity, b.time ?? Infinity]
  return began === other ? a.at < b.at : began < other
}

function isLater(a: Place, b: Place): boolean {
  const [ended, other] = [a.time ?? -Infinity, b.time ?? -Infinity]
  return ended === other ? a.at > b.at : ended > other
}

function withErrorType(before: readonly string[], type: string | null): readonly string[] {
  return type === null || before.length === MOST_ERROR_TYPES || before.includes(type) ? before : [...before, type]
}
