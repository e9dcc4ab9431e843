import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import { type FilterNameOf, filterValues } from '@spoor/contract/trace-filters'
import type { MetricEventRecord } from '../../ports/journal/metric-event.ts'
import type { MetricEventQuery } from '../../ports/metrics/metric-event-store.ts'
import { isScoredBy, type ScoredBy } from '../../ports/metrics/scored-by.ts'
import { metadataFilterTerms } from '../../traces/rules/terms.ts'
import type { NewMetricEvent } from '../../ports/traces/trace-store.ts'
import { compareNewest } from '../../ports/metrics/metric-event-order.ts'

/**
 * Metric events that are readable and not in the engine yet. A list scans all of them: their number is bounded
 * (settler.ts), some ten thousand at most, most often the events of half a second.
 */
export class RecentMetricEvents {
  readonly #all = new Set<NewMetricEvent>()
  readonly #byTrace = new Map<TraceId, Set<NewMetricEvent>>()

  add(events: readonly NewMetricEvent[]): void {
    for (const event of events) {
      this.#all.add(event)
      const { traceId } = event.record
      const ofTrace = this.#byTrace.get(traceId)
      if (ofTrace === undefined) this.#byTrace.set(traceId, new Set([event]))
      else ofTrace.add(event)
    }
  }

  drop(events: readonly NewMetricEvent[]): void {
    for (const event of events) {
      this.#all.delete(event)
      const { traceId } = event.record
      const ofTrace = this.#byTrace.get(traceId)
      if (ofTrace?.delete(event) === true && ofTrace.size === 0) this.#byTrace.delete(traceId)
    }
  }

  has(traceId: TraceId): boolean {
    return this.#byTrace.has(traceId)
  }

  traceOf(projectId: ProjectId, id: MetricEventId): TraceId | null {
    for (const { record } of this.#all) if (record.id === id && record.projectId === projectId) return record.traceId
    return null
  }

  /** The traces of these events. */
  tracesScored(projectId: ProjectId, by: ScoredBy): TraceId[] {
    const records = [...this.#all].map(({ record }) => record)
    return records.filter((one) => one.projectId === projectId && isScoredBy(one, by)).map(({ traceId }) => traceId)
  }

  /** In the order they came. */
  ofTrace(projectId: ProjectId, traceId: TraceId): MetricEventRecord[] {
    const events = [...(this.#byTrace.get(traceId) ?? [])].map(({ record }) => record)
    return events.filter((record) => record.projectId === projectId)
  }

  /** As MetricEventStore.list, including events of deleted traces. */
  list(query: MetricEventQuery): MetricEventRecord[] {
    const from = query.traceId === null ? this.#all : (this.#byTrace.get(query.traceId) ?? [])
    const found: MetricEventRecord[] = []
    const isWanted = eventFilter(query)
    for (const event of from) if (matches(event.record, query) && isWanted(event)) found.push(event.record)
    return found.sort(compareNewest).slice(0, query.limit)
  }
}

/** Whether a list shows the event, unless its trace is deleted. */
function matches(record: MetricEventRecord, query: MetricEventQuery): boolean {
  return (
    record.projectId === query.projectId &&
    (query.metricId === null || record.metricId === query.metricId) &&
    (query.traceId === null || record.traceId === query.traceId) &&
    (query.stepId === null || record.stepId === query.stepId) &&
    (query.source === null || record.source === query.source) &&
    (query.startTime === null || record.at >= query.startTime) &&
    (query.endTime === null || record.at < query.endTime) &&
    (query.after === null || compareNewest(record, query.after) > 0)
  )
}

/** The filters by fields that an event copies from its trace, with the meaning of `eventConditions`. */
function eventFilter(query: MetricEventQuery): (event: NewMetricEvent) => boolean {
  const groups = query.metadata.map(({ key, value }) => metadataFilterTerms(key, value))
  const valuesOf = (name: FilterNameOf<'events'>) => filterValues(query, name)
  const [runTypes, models] = [valuesOf('run_type'), valuesOf('model')]
  const [notRunTypes, notModels] = [valuesOf('not_run_type'), valuesOf('not_model')]
  return (event) =>
    (runTypes.length === 0 || runTypes.includes(event.runType)) &&
    !notRunTypes.includes(event.runType) &&
    (models.length === 0 || event.models.some((model) => models.includes(model))) &&
    !event.models.some((model) => notModels.includes(model)) &&
    groups.every((group) => group.some((term) => event.terms.includes(term)))
}
