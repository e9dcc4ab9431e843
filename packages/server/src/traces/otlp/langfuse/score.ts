import { METRIC_COMMENT_LENGTH } from '@spoor/contract/limits'
import type { SpanEvaluation } from '../../../ports/traces/prepared.ts'
import { filterText } from '../map/trace-facts.ts'
import { type SpanIds, timeOf } from '../mention.ts'
import { BadSpan } from '../wire/span.ts'
import { type Body, idsOfScored } from './ids.ts'

/** A score of a trace or an observation. The event names it if it has no id, and says when. Throws BadSpan. */
export function scoreOf(
  body: Body,
  event: { readonly name: string; readonly at: number },
): { readonly ids: SpanIds; readonly score: SpanEvaluation } {
  const { id, name: sentName, value, dataType, comment, traceId, observationId, timestamp } = body
  const name = filterText(typeof sentName === 'string' ? sentName : undefined)
  if (name === null) throw new BadSpan('a score needs a `name`')
  if (traceId === undefined || traceId === null)
    throw new BadSpan('a score needs the `traceId` of its trace; scores of sessions alone are not stored')
  const isOfTrace = observationId === undefined || observationId === null
  const isNumber = typeof value === 'number' || typeof value === 'boolean'
  if (!isNumber && (typeof value !== 'string' || value === '')) throw new BadSpan('a score needs a `value`')
  const at = timeOf(timestamp) ?? event.at
  return {
    ids: idsOfScored(body),
    score: {
      name,
      score: isNumber ? Number(value) : null,
      label: isNumber ? null : (value as string),
      explanation: typeof comment === 'string' ? comment.slice(0, METRIC_COMMENT_LENGTH).toWellFormed() : null,
      source: null,
      at: at === 0 ? null : at,
      key: `langfuse:${(typeof id === 'string' ? id : event.name).slice(0, 64)}`,
      defines: dataType === 'BOOLEAN' || typeof value === 'boolean' ? 'boolean' : isNumber ? 'numeric' : 'enum',
      ...(isOfTrace ? { isOfTrace: true as const } : {}),
    },
  }
}
