import { NAME_LENGTH } from '@spoor/contract/limits'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { ignoreHit, type Masker, type OnHit } from '../../lib/masking/masker.ts'
import type { MaskedCounts, PreparedSpan, PreparedStep, PreparedTrace, SpanFacts } from '../../ports/traces/prepared.ts'
import { toOtherWords } from '../rules/search-text.ts'
import { stepCalls } from './step-calls.ts'
import { stepSaid } from './step-said.ts'

/*
 * Every step and trace passes here after it was parsed and before it is stored, whichever way it came. Hashes by which
 * repeated requests are recognised stay those of what was sent, so that a retry is recognised after a change of rules.
 * Ids, idempotency keys, models, types, run types and names of members are not masked.
 */

type StepTexts = Pick<PreparedStep, 'name' | 'body'>
type TraceTexts = Pick<PreparedTrace, 'name' | 'sessionId' | 'userId' | 'metadata'>

export function maskStep(step: PreparedStep, masker: Masker | null): PreparedStep {
  if (masker === null) return step
  const { counts, onHit } = counting()
  const { name, body } = maskStepTexts(step, masker, onHit)
  if (body === step.body && name === step.name) return step
  const { messages, error } = JSON.parse(body.toString()) as Pick<StepBody, 'messages' | 'error'>
  const texts = searchableTexts({ name, messages, error })
  return {
    ...step,
    name,
    body,
    texts,
    otherWords: toOtherWords(texts),
    said: stepSaid(messages, error),
    calls: stepCalls(step.type, name, messages),
    masked: counts,
  }
}

export function maskStepTexts({ name, body }: StepTexts, masker: Masker, onHit: OnHit): StepTexts {
  return { name: maskName(name, masker, onHit), body: masker.json(body, null, onHit) }
}

/** A trace with its steps. */
export function maskWhole(trace: PreparedTrace, masker: Masker | null): PreparedTrace {
  if (masker === null) return trace
  return { ...maskOwn(trace, masker), steps: trace.steps.map((step) => maskStep(step, masker)) }
}

/** The fields of a trace itself. */
export function maskOwn<Trace extends TraceTexts>(trace: Trace, masker: Masker | null): Trace {
  if (masker === null) return trace
  const { counts, onHit } = counting()
  const masked = maskTrace(trace, masker, onHit)
  return Object.keys(counts).length === 0 ? trace : { ...trace, ...masked, masked: counts }
}

/** Ids are looked up and counted by, so only a path that names them masks them. */
export function maskTrace({ name, sessionId, userId, metadata }: TraceTexts, masker: Masker, onHit: OnHit): TraceTexts {
  const maskId = (id: string | null, key: string) => id && masker.text(id, key, onHit, { onlyFields: true })
  return {
    name: maskName(name, masker, onHit),
    sessionId: maskId(sessionId, 'session_id'),
    userId: maskId(userId, 'user_id'),
    metadata: masker.json(metadata, 'metadata', onHit),
  }
}

/** A span, with what it says about its trace, and its scores. */
export function maskSpan(span: PreparedSpan, masker: Masker | null): PreparedSpan {
  if (masker === null) return span
  const evaluations = span.evaluations.map((one) => {
    const explanation = one.explanation && masker.text(one.explanation, 'comment', ignoreHit)
    return Object.assign({}, one, { explanation })
  })
  return { ...span, step: maskStep(span.step, masker), facts: maskFacts(span.facts, masker), evaluations }
}

function maskFacts(facts: SpanFacts, masker: Masker): SpanFacts {
  const metadata = Buffer.from(JSON.stringify(facts.metadata))
  const masked = maskOwn({ ...facts, metadata }, masker)
  if (masked.metadata === metadata) return { ...masked, metadata: facts.metadata }
  return { ...masked, metadata: JSON.parse(masked.metadata.toString()) as SpanFacts['metadata'] }
}

/** A masked name is no longer than a name may be. */
function maskName(name: string, masker: Masker, onHit: OnHit): string {
  const masked = masker.text(name, 'name', onHit)
  return masked === name ? name : masked.slice(0, NAME_LENGTH).toWellFormed()
}

function counting(): { readonly counts: MaskedCounts; readonly onHit: OnHit } {
  const counts: Record<string, number> = {}
  return { counts, onHit: ({ rule }) => (counts[rule] = (Object.hasOwn(counts, rule) ? counts[rule]! : 0) + 1) }
}
