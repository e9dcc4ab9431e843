import { METRIC_COMMENT_LENGTH } from '@spoor/contract/limits'
import { isFields } from '@spoor/payloads/json'
import type { SpanEvaluation } from '../../../ports/traces/prepared.ts'
import { filterText } from '../map/trace-facts.ts'
import { BadSpan, type Span } from '../wire/span.ts'
import { timeOf } from '../mention.ts'
import type { Run } from './run.ts'

const SOURCES: Readonly<Record<string, SpanEvaluation['source']>> = { api: 'code', app: 'human', model: 'llm' }

export function keyOfFeedback(id: string): string {
  return `langsmith:${id.slice(0, 64)}`
}

/** The score with what an update says of it. Throws BadSpan. */
export function changedFeedback<Score extends SpanEvaluation>(score: Score, update: Run): Score {
  const [sent] = feedbackOf({ ...update, key: score.name }, { spanId: '', traceId: '' })
  const { score: number, label } = sent ?? score
  const { comment } = update
  return { ...score, score: number, label, ...(typeof comment === 'string' ? { explanation: commentOf(comment) } : {}) }
}

function commentOf(comment: unknown): string | null {
  return typeof comment === 'string' ? comment.slice(0, METRIC_COMMENT_LENGTH).toWellFormed() : null
}

/** A score of the run. Feedback of its root is about the trace. Throws BadSpan. */
export function feedbackOf(feedback: Run, { spanId, traceId }: Pick<Span, 'spanId' | 'traceId'>): SpanEvaluation[] {
  const { key, score, value, comment, id, created_at: at, feedback_source: source } = feedback
  const name = filterText(typeof key === 'string' ? key : undefined)
  if (name === null) throw new BadSpan('a feedback has no `key`')
  const flag = typeof score === 'boolean' ? score : typeof value === 'boolean' ? value : null
  const number = [score, value].find((one): one is number => typeof one === 'number')
  const label = [value, score].find((one): one is string => typeof one === 'string' && one !== '')
  if (flag === null && number === undefined && label === undefined) return []
  const kind = isFields(source) && typeof source['type'] === 'string' ? source['type'] : ''
  return [
    {
      name,
      score: flag === null ? (number ?? null) : Number(flag),
      label: label ?? null,
      explanation: commentOf(comment),
      source: SOURCES[kind] ?? null,
      at: timeOf(at),
      key: keyOfFeedback(typeof id === 'string' ? id : `${spanId}:${name}`),
      defines: flag !== null ? 'boolean' : number !== undefined ? 'numeric' : 'enum',
      ...(spanId === traceId ? { isOfTrace: true as const } : {}),
    },
  ]
}
