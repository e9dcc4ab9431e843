import { hash } from 'node:crypto'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { shorten } from '../lib/validation/field-errors.ts'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'
import type { SpanEvaluation } from '../ports/traces/prepared.ts'
import type { MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import { checkMetricEvent } from './check-metric-event.ts'
import { changeMetric, defineMetric, type DefineMetricDependencies } from './define-metric.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'
import { MOST_SCORES } from './metric-recorder.ts'
import {
  ANY_EVENT,
  isConflict,
  recordChanges,
  type RecordChangesDependencies,
  SCORE_ID,
  type SentScore,
} from './record-changes.ts'
import type { ParsedMetricEvent } from './parse-metric-event.ts'

export interface RecordEvaluationsDependencies extends RecordChangesDependencies {
  readonly definitions: Pick<MetricStore, 'findByName' | 'findById'>
  readonly defining: DefineMetricDependencies
}

/** Of one export. Further ones are on their steps only. */
const MOST_EVALUATIONS = 10_000
const MOST_NAMES = 100

/** An evaluation of a trace, or of a step, that is committed. */
export interface StepEvaluation extends SpanEvaluation {
  readonly traceId: TraceId
  readonly stepId: StepId | null
}

/**
 * Records evaluations as metric events, if the project has a metric of their name. Each is recorded once, however often
 * it comes; a score that its sender has changed is a further event. Resolves with why others were not recorded; rejects
 * as a recorder does, and may then be repeated.
 */
export async function recordEvaluations(
  { definitions, defining, recorder, events, clock }: RecordEvaluationsDependencies,
  projectId: ProjectId,
  evaluations: readonly StepEvaluation[],
): Promise<readonly string[]> {
  const notes = new Set<string>()
  const scores: SentScore[] = []
  const byName = Map.groupBy(evaluations.slice(0, MOST_EVALUATIONS), ({ name }) => name)
  if (evaluations.length > MOST_EVALUATIONS || byName.size > MOST_NAMES) {
    notes.add(
      `of an export, ${MOST_EVALUATIONS} evaluations with ${MOST_NAMES} names are recorded; others are on their steps only`,
    )
  }
  for (const [name, named] of [...byName].slice(0, MOST_NAMES)) {
    const known = await definitions.findByName(projectId, name)
    const definition = await defined(defining, projectId, named, known).catch((error: unknown) => {
      if (!(error instanceof DomainError) || !CANNOT_DEFINE.has(error.code)) throw error
      notes.add(noteOn(named[0]!, error.message))
      return definitions.findByName(projectId, name)
    })
    if (definition === undefined) continue
    for (const evaluation of named) {
      const checked = checkMetricEvent(toEvent(evaluation, definition), definition, clock.now())
      if ('error' in checked) notes.add(noteOn(evaluation, checked.error.detail))
      else scores.push({ score: checked.score, at: evaluation.at, mayChange: evaluation.defines !== undefined })
    }
  }
  for (let from = 0; from < scores.length; from += MOST_SCORES) {
    const some = scores.slice(from, from + MOST_SCORES)
    const verdicts = await recorder.recordMetricEvents(
      projectId,
      some.map(({ score }) => score),
    )
    // A trace that was deleted meanwhile has no evaluations either.
    const changed = some.filter((_, at) => isConflict(verdicts[at]))
    const isLeft = await recordChanges({ recorder, events, clock }, projectId, changed)
    if (isLeft) notes.add('an evaluation was recorded before with another value')
  }
  return [...notes]
}

/** The latest value of a score that its sender knows by this key, as an evaluation of now; null if there is none. */
export async function findScore(
  {
    definitions,
    events,
    clock,
  }: Pick<RecordEvaluationsDependencies, 'definitions' | 'clock'> & { readonly events: Pick<MetricEventStore, 'list'> },
  projectId: ProjectId,
  key: string,
): Promise<StepEvaluation | null> {
  const metadata = [{ key: SCORE_ID, value: key }]
  const [last] = await events.list({ ...ANY_EVENT, projectId, metadata, limit: 1 })
  const definition = last === undefined ? undefined : await definitions.findById(projectId, last.metricId)
  if (last === undefined || definition === undefined) return null
  const { traceId, stepId, value, comment: explanation, source } = last
  const score = value.kind === 'numeric' ? value.number : value.kind === 'boolean' ? Number(value.passed) : null
  const label = value.kind === 'enum' ? value.option : null
  const { name, kind: defines } = definition
  return { name, traceId, stepId, score, label, explanation, source, at: clock.now(), key, defines }
}

/** The name or an option breaks a rule, or another request has just defined the metric. */
const CANNOT_DEFINE: ReadonlySet<string> = new Set(['validation_failed', 'metric_conflict'])

/** The metric as these evaluations need it: senders with scores of their own define metrics by them. */
async function defined(
  defining: DefineMetricDependencies,
  projectId: ProjectId,
  evaluations: readonly StepEvaluation[],
  known: MetricDefinition | undefined,
): Promise<MetricDefinition | undefined> {
  const { name, defines: kind = known?.kind } = evaluations.find(({ defines }) => defines !== undefined) ?? {}
  if (name === undefined || kind === undefined) return known
  const options = (known?.options ?? []).map(({ value, label }) => (label === null ? { value } : { value, label }))
  const labels = new Set(evaluations.flatMap(({ label }) => label ?? []))
  for (const { value } of options) labels.delete(value)
  const added = [...options, ...[...labels].map((value) => ({ value }))]
  if (known === undefined) {
    const body = kind === 'enum' ? { name, kind, options: added } : { name, kind }
    return (await defineMetric(defining, projectId, body)).metric
  }
  if (known.kind !== 'enum' || labels.size === 0) return known
  return changeMetric(defining, projectId, name, { options: added })
}

function noteOn({ name, defines }: SpanEvaluation, detail: string): string {
  const place = defines === undefined ? 'on its step only' : 'not recorded'
  return `the evaluation ${JSON.stringify(shorten(name))} is ${place}: ${detail}`
}

const PASSED: ReadonlySet<string> = new Set(['true', 'pass', 'passed', 'yes'])
const FAILED: ReadonlySet<string> = new Set(['false', 'fail', 'failed', 'no'])

/** The event as a client would have sent it. The check refuses values that the metric cannot take. */
function toEvent(evaluation: StepEvaluation, { kind }: MetricDefinition): ParsedMetricEvent {
  const { name, score, label, explanation, source, at, key, traceId, stepId, defines } = evaluation
  const isOwn = defines !== undefined
  const value = kind === 'enum' ? (label ?? score) : (score ?? label)
  return {
    name,
    traceId,
    stepId,
    passed: kind === 'boolean' ? toPassed(score, label) : undefined,
    value: value ?? undefined,
    source,
    comment: explanation,
    metadata: Buffer.from(isOwn ? JSON.stringify({ [SCORE_ID]: key }) : '{}'),
    idempotencyKey: key,
    // The same value at another time may have had another one in between.
    contentHash: hash('sha256', JSON.stringify([name, score, label, explanation, source, isOwn ? at : null]), 'hex'),
    at,
  }
}

/** By the label if it says so, else by a score of 0 or 1. */
function toPassed(score: number | null, label: string | null): boolean | undefined {
  const word = label?.toLowerCase() ?? ''
  if (PASSED.has(word)) return true
  if (FAILED.has(word)) return false
  return score === 1 ? true : score === 0 ? false : undefined
}
