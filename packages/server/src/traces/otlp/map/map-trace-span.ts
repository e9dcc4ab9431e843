import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { PreparedSpan, SpanFacts } from '../../../ports/traces/prepared.ts'
import { stepIdOf } from '../span-ids.ts'
import { cutProblems, joinMetadata } from '../../../lib/validation/move-aside.ts'
import type { Span, SpanOrigin, Value } from '../wire/span.ts'
import { NO_CALLS } from '../../intake/step-calls.ts'
import { NOTHING_SAID } from '../../intake/step-said.ts'
import { isAboutAgents } from './about-agents.ts'
import { RECORDED_STEP } from './mapping-table.ts'
import { recordedStep } from './recorded-fields.ts'
import type { JsonObject, SpanFields } from './span-fields.ts'
import { spanError, spanStatus, spanTimes } from './span-outcome.ts'

const RECORDED_ERROR = RECORDED_STEP.filter(({ field }) => field === 'error')

/**
 * A span that is the trace itself. A trace has no error and no attributes of its own, so they become keys of its
 * metadata.
 */
export function mapTraceSpan(
  projectId: ProjectId,
  span: Span,
  origin: SpanOrigin,
  fields: SpanFields,
  facts: SpanFacts,
  limits: Limits,
): PreparedSpan {
  const { traceId, spanId, parentSpanId } = span
  const status = spanStatus(span, origin, fields)
  const recorded = recordedStep(projectId, facts.name, fields, limits, span.problems, RECORDED_ERROR)
  const given = recorded?.given.get('error')
  const error: unknown = given !== undefined ? JSON.parse(given) : status === 'error' ? spanError(span, fields) : null
  const told = JSON.parse(recorded?.given.get('metadata') ?? '{}') as JsonObject
  const step = {
    name: facts.name,
    type: 'other',
    model: null,
    status,
    ...spanTimes(span),
    tokenUsage: null,
    parentStepId: parentSpanId === null || parentSpanId === spanId ? null : stepIdOf(traceId, parentSpanId),
  }
  const others = { ...Object.fromEntries(fields.rest), ...told, ...(error === null ? {} : { error }) }
  const metadata = joinMetadata(facts.metadata, others) as Record<string, Value>
  // Lists show it, and what has no room there is left out.
  cutProblems(metadata, limits.metadataBytes / 8)
  const own = { ...facts, metadata, isRoot: span.part?.isMention !== true }
  return {
    otelTraceId: traceId,
    facts: own,
    isTrace: true,
    links: [],
    isAboutAgents: isAboutAgents(span, origin, step.type),
    evaluations: span.evaluations ?? [],
    step: {
      ...step,
      id: stepIdOf(traceId, spanId),
      idempotencyKey: null,
      contentHash: hash('sha256', JSON.stringify([step, own]), 'hex'),
      attachments: [],
      body: Buffer.from('{}'),
      texts: [],
      otherWords: '',
      said: NOTHING_SAID,
      calls: NO_CALLS,
      sender: '',
      firstTokenMs: null,
    },
  }
}
