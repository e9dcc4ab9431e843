import type { MetricId } from '@spoor/contract/ids'
import type { ByteGate } from '../lib/flow/byte-gate.ts'
import type { DomainError } from '../lib/domain-error.ts'
import { listPage } from '../lib/list-page.ts'
import { changeMetric, defineMetric, metricNotFound } from './define-metric.ts'
import { latestValues } from './latest-values.ts'
import { eventsOf, listArrived, listEvents } from './list-events.ts'
import type { Journal } from '../ports/journal/journal.ts'
import type { MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import type { MetricRecorder } from './metric-recorder.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'
import { findScore, recordEvaluations } from './record-evaluations.ts'
import { checkEvents, type RecordEventsDependencies, recordBody, recordLines } from './record-events.ts'
import { removeEvent } from './remove-event.ts'
import type { MetricUseCases } from './use-cases.ts'

/** Budgets, turns and gates are shared by all requests. */
export interface MetricServiceDependencies extends Omit<RecordEventsDependencies, 'definitions' | 'events'> {
  readonly metrics: MetricStore
  readonly recorder: MetricRecorder
  readonly events: MetricEventStore
  readonly journal: Pick<Journal, 'removedEvents'>
  readonly newMetricId: () => MetricId
  readonly answers: ByteGate
  /** Why nothing new is accepted just now; null when it is. */
  readonly intakeBlock: () => DomainError | null
}

export function createMetricService(dependencies: MetricServiceDependencies): MetricUseCases {
  const { metrics } = dependencies
  const parts = { ...dependencies, definitions: metrics, defining: dependencies }
  const refuseWhenBlocked = () => {
    const refusal = dependencies.intakeBlock()
    if (refusal !== null) throw refusal
  }
  return {
    async define(projectId, body) {
      refuseWhenBlocked()
      return defineMetric(parts, projectId, body)
    },
    async change(projectId, name, body) {
      refuseWhenBlocked()
      return changeMetric(parts, projectId, name, body)
    },
    async find(projectId, name) {
      const found = await metrics.findByName(projectId, name)
      if (found === undefined) throw metricNotFound()
      return found
    },
    list: ({ projectId, cursor, limit }) =>
      listPage('met', cursor, limit, (after, count) => metrics.list(projectId, after, count)),
    async record(author, body) {
      refuseWhenBlocked()
      return recordBody(parts, author, body)
    },
    check: (projectId, body) => checkEvents(parts, projectId, body),
    recordLines(author, chunks) {
      refuseWhenBlocked()
      return recordLines(parts, author, chunks)
    },
    remove: (principal, id) => removeEvent(dependencies, principal, id),
    recordEvaluations: (projectId, evaluations) => recordEvaluations(parts, projectId, evaluations),
    findScore: (projectId, key) => findScore(parts, projectId, key),
    hasAny: (projectId) => metrics.hasAny(projectId),
    latestValues: (projectId, names, traceIds) => latestValues(parts, projectId, names, traceIds),
    listEvents: (query) => listEvents(parts, query),
    listArrived: (projectId, traceId, after) => listArrived(parts, projectId, traceId, after),
    eventsOf: (projectId, traceId) => eventsOf(parts, projectId, traceId),
  }
}
