import { METRIC_COMMENT_LENGTH } from '@spoor/contract/limits'
import { firstOf } from '@spoor/payloads/json'
import type { SpanEvaluation } from '../../../ports/traces/prepared.ts'
import type { Attributes, Span, Value } from '../wire/span.ts'
import { isObject, type SpanFields } from './span-fields.ts'
import { filterText } from './trace-facts.ts'

const EVENT = /^gen_ai\.evaluation\.(.+)$/
const NAME = 'gen_ai.evaluation.name'
const SCORE = ['gen_ai.evaluation.score.value', 'gen_ai.evaluation.score'] as const
const LABEL = ['gen_ai.evaluation.score.label', 'gen_ai.evaluation.label'] as const
const EXPLANATION = ['gen_ai.evaluation.explanation', 'gen_ai.evaluation.reasoning'] as const

/** Attributes of OpenInference: `annotations.0.annotation.name`. */
const ANNOTATION = /^\.(\d{1,4})\.annotation\.([a-z_]+)$/

/** Further ones of a span are on its step only. */
const MOST_OF_SPAN = 100

const SOURCES: ReadonlySet<unknown> = new Set(['human', 'code', 'llm'])

/**
 * What a span says about its own quality: events `gen_ai.evaluation.result`, the same attributes on the span, and
 * annotations of OpenInference. They also stay on the step, so the step is the same whichever metrics are defined.
 */
export function spanEvaluations(span: Span, fields: SpanFields): readonly SpanEvaluation[] {
  const found: SpanEvaluation[] = []
  const counts = new Map<string, number>()
  const add = (
    name: Value | undefined,
    at: number | null,
    evaluation: Omit<SpanEvaluation, 'name' | 'key' | 'at'>,
    id?: string,
  ) => {
    const metric = filterText(typeof name === 'string' ? name : undefined)
    if (metric === null || (evaluation.score === null && evaluation.label === null)) return
    if (found.length === MOST_OF_SPAN) return
    const before = counts.get(metric) ?? 0
    counts.set(metric, before + 1)
    found.push({ ...evaluation, name: metric, at, key: `otel:${span.spanId}:${id ?? before}:${metric}` })
  }
  for (const { id, name, timeNs, attributes } of span.events) {
    const [, suffix] = EVENT.exec(name) ?? []
    if (suffix === undefined) continue
    const named = attributes.get(NAME) ?? (suffix === 'result' ? undefined : suffix)
    add(named, toMs(timeNs), evaluationOf(attributes), id)
  }
  const end = toMs(span.endNs) ?? toMs(span.startNs)
  if (span.attributes.has(NAME)) add(span.attributes.get(NAME), end, evaluationOf(span.attributes))
  for (const annotation of annotationsOf(fields)) {
    const { name, score, label, explanation, annotator_kind: kind } = annotation
    const source = typeof kind === 'string' ? kind.toLowerCase() : null
    add(name, end, {
      ...toEvaluation(score, label, explanation),
      source: SOURCES.has(source) ? (source as SpanEvaluation['source']) : null,
    })
  }
  return found
}

function evaluationOf(attributes: Attributes) {
  const first = (names: readonly string[]) => firstOf(names, (name) => attributes.get(name))
  return toEvaluation(first(SCORE), first(LABEL), first(EXPLANATION))
}

function toEvaluation(score: Value | undefined, label: Value | undefined, explanation: Value | undefined) {
  return {
    score: typeof score === 'number' ? score : null,
    label: textOf(label) ?? [label, score].find((one) => typeof one === 'boolean')?.toString() ?? null,
    explanation: textOf(explanation)?.slice(0, METRIC_COMMENT_LENGTH).toWellFormed() ?? null,
    source: null,
  }
}

function annotationsOf(fields: SpanFields): readonly Readonly<Record<string, Value>>[] {
  if (!fields.hasAny('annotations')) return []
  const found = new Map<number, Record<string, Value>>()
  for (const [key, value] of fields.below('annotations')) {
    const [, at, field] = ANNOTATION.exec(key) ?? []
    if (at === undefined || field === undefined) continue
    const annotation = found.get(Number(at)) ?? {}
    annotation[field] = value
    found.set(Number(at), annotation)
  }
  // A sender that does not flatten its attributes.
  const list = fields.get('annotations')
  const nested = (Array.isArray(list) ? (list as readonly Value[]) : []).flatMap((one) => {
    const inner = isObject(one) && isObject(one['annotation']) ? one['annotation'] : one
    return isObject(inner) ? [inner] : []
  })
  return [...[...found].sort(([a], [b]) => a - b).map(([, annotation]) => annotation), ...nested]
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : null
}

function toMs(ns: bigint): number | null {
  return ns <= 0n ? null : Number(ns / 1_000_000n)
}
