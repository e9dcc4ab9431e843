import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { FieldErrors } from '../lib/validation/field-errors.ts'
import { invalid, invalidFields, MOST_ERRORS } from '../lib/validation/validation-failed.ts'
import { checkChange, checkDefinition } from './definition-rules.ts'
import { type MetricDefinition, meansTheSame, withoutSign } from '../ports/metrics/metric-definition.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'

export interface DefineMetricDependencies {
  readonly metrics: Pick<MetricStore, 'add' | 'change'>
  readonly clock: Clock
  readonly newMetricId: () => MetricId
  readonly limits: Pick<Limits, 'metricsPerProject'>
}

export interface DefinedMetric {
  readonly metric: MetricDefinition
  /** False if it already existed with the same definition. */
  readonly created: boolean
}

/**
 * Throws DomainError `validation_failed`, also when the project has the maximum number of metrics, and
 * `metric_conflict`. Of two different concurrent definitions exactly one wins.
 */
export async function defineMetric(
  { metrics, clock, newMetricId, limits }: DefineMetricDependencies,
  projectId: ProjectId,
  body: MetricCreate,
): Promise<DefinedMetric> {
  const errors = new FieldErrors(MOST_ERRORS)
  checkDefinition(body, errors)
  if (!errors.isEmpty) throw invalidFields(errors)
  const now = clock.now()
  const metric: MetricDefinition = {
    projectId,
    id: newMetricId(),
    name: body.name,
    kind: body.kind,
    description: body.description ?? null,
    min: withoutSign(body.min ?? null),
    max: withoutSign(body.max ?? null),
    unit: body.unit ?? null,
    options: toOptions(body.options),
    direction: body.direction ?? null,
    createdAt: now,
    updatedAt: now,
  }
  const outcome = await metrics.add(metric, limits.metricsPerProject)
  if (outcome.status === 'added') return { metric, created: true }
  if (outcome.status === 'exists') {
    if (meansTheSame(outcome.definition, metric)) return { metric: outcome.definition, created: false }
    throw new DomainError('metric_conflict', 'There is a metric of this name with another definition: change that one.')
  }
  const detail = `A project has at most ${limits.metricsPerProject} metrics.`
  throw invalid({ pointer: '', code: 'too_many', detail })
}

/** Throws DomainError `not_found` and `validation_failed`. */
export async function changeMetric(
  { metrics, clock }: DefineMetricDependencies,
  projectId: ProjectId,
  name: string,
  body: MetricPatch,
): Promise<MetricDefinition> {
  const changed = await metrics.change(projectId, name, (present) => {
    const errors = new FieldErrors(MOST_ERRORS)
    checkChange(body, present, errors)
    if (!errors.isEmpty) throw invalidFields(errors)
    const next: MetricDefinition = {
      ...present,
      ...body,
      min: withoutSign(body.min === undefined ? present.min : body.min),
      max: withoutSign(body.max === undefined ? present.max : body.max),
      options: body.options === undefined ? present.options : toOptions(body.options),
      updatedAt: clock.now(),
    }
    return meansTheSame(present, next) ? present : next
  })
  if (changed === undefined) throw metricNotFound()
  return changed
}

/** Does not reveal the name: a metric of another project is answered like one that never existed. */
export function metricNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such metric.')
}

function toOptions(options: MetricCreate['options']): MetricDefinition['options'] {
  return options?.map(({ value, label }) => ({ value, label: label ?? null })) ?? null
}
