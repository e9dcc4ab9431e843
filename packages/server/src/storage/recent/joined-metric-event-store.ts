import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { MetricEventRecord } from '../../ports/journal/metric-event.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type {
  LatestValue,
  MetricEventPosition,
  MetricEventQuery,
  MetricEventStore,
} from '../../ports/metrics/metric-event-store.ts'
import { compareNewest } from '../../ports/metrics/metric-event-order.ts'
import type { RecentMetricEvents } from './recent-metric-events.ts'
import type { FoundMetricEvent, SettledMetricEvents } from './settled-rows.ts'

export interface JoinedMetricEventStoreOptions {
  /** Of the trace store (LoggedTraceStore.recentMetricEvents). */
  readonly recent: Pick<RecentMetricEvents, 'ofTrace' | 'list' | 'traceOf'>
  readonly settled: SettledMetricEvents
  readonly journal: Pick<Journal, 'deletedAmong' | 'removedEvents'>
  readonly clock: Clock
}

/** A page that deleted traces have left short is filled up from steps this large at most. */
const MOST_PLACES = 4000

/**
 * Metric events of memory and engine. Like every read it reads memory first: events that leave memory meanwhile are in
 * the engine already, and duplicates are removed. Deletions are looked up last, so that what is deleted during the
 * query of the engine is not shown.
 */
export class JoinedMetricEventStore implements MetricEventStore {
  readonly #options: JoinedMetricEventStoreOptions

  constructor(options: JoinedMetricEventStoreOptions) {
    this.#options = options
  }

  async list(query: MetricEventQuery): Promise<readonly MetricEventRecord[]> {
    const found: MetricEventRecord[] = []
    let { after } = query
    for (let limit = query.limit; ; limit = Math.min(limit * 4, MOST_PLACES)) {
      const page = await this.#page({ ...query, after, limit }, query.limit - found.length)
      found.push(...page.records)
      if (page.end === null || found.length === query.limit) return found
      after = page.end
    }
  }

  async findByTraces(query: Parameters<MetricEventStore['findByTraces']>[0]): Promise<readonly MetricEventRecord[]> {
    const { projectId, traceIds, after, limit } = query
    const inMemory = traceIds.flatMap((traceId) => this.#options.recent.ofTrace(projectId, traceId))
    const recent = inMemory.filter(({ id }) => after === null || id > after)
    const { settled, journal } = this.#options
    const removed = await journal.removedEvents(projectId)
    const found = await settled.findByTraces({ ...query, limit: limit + removed.size })
    const all = distinct([...recent, ...found])
    const isLive = ({ id }: MetricEventRecord) => !removed.has(id)
    const live = query.withDeleted === true ? all.filter(isLive) : await this.#withoutDeleted(projectId, all)
    const counts = new Map<TraceId, number>()
    return live
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .filter(({ traceId }) => {
        const count = (counts.get(traceId) ?? 0) + 1
        counts.set(traceId, count)
        return count <= limit
      })
  }

  async latestOf(
    projectId: ProjectId,
    metricIds: readonly MetricId[],
    traceIds: readonly TraceId[],
  ): Promise<readonly LatestValue[]> {
    const { recent, settled, journal } = this.#options
    const wanted = new Set(metricIds)
    const removed = await journal.removedEvents(projectId)
    const inMemory = traceIds.flatMap((traceId) =>
      recent.ofTrace(projectId, traceId).filter(({ id, metricId }) => wanted.has(metricId) && !removed.has(id)),
    )
    const latest = new Map<string, LatestValue>()
    for (const event of [...inMemory, ...(await settled.latestOf(projectId, metricIds, traceIds, removed))]) {
      const place = `${event.traceId} ${event.metricId}`
      const known = latest.get(place)
      if (known === undefined || compareNewest(event, known) < 0) latest.set(place, event)
    }
    return [...latest.values()]
  }

  async find(projectId: ProjectId, traceId: TraceId, id: MetricEventId): Promise<MetricEventRecord | undefined> {
    const [found] = await this.findMany(projectId, [{ traceId, id }])
    return found
  }

  async findById(projectId: ProjectId, id: MetricEventId): Promise<MetricEventRecord | undefined> {
    const { recent, settled } = this.#options
    const traceId = recent.traceOf(projectId, id)
    const place = traceId === null ? await settled.findPlace(projectId, id) : { traceId, id }
    return place === null ? undefined : this.find(projectId, place.traceId, id)
  }

  async findMany(
    projectId: ProjectId,
    places: readonly { readonly traceId: TraceId; readonly id: MetricEventId }[],
  ): Promise<readonly MetricEventRecord[]> {
    const { recent, settled } = this.#options
    const asked = new Set(places.map((place) => `${place.traceId}${place.id}`))
    const found = new Map<MetricEventId, MetricEventRecord>()
    for (const traceId of new Set(places.map((place) => place.traceId))) {
      for (const event of recent.ofTrace(projectId, traceId)) {
        if (asked.has(`${traceId}${event.id}`)) found.set(event.id, event)
      }
    }
    const missing = places.filter(({ id }) => !found.has(id))
    for (const event of await settled.findRecords(projectId, missing)) found.set(event.id, event)
    return this.#withoutDeleted(projectId, [...found.values()])
  }

  /** At most `most` events of `query`, and the one after which the next page begins: null when there are no more. */
  async #page(
    query: MetricEventQuery,
    most: number,
  ): Promise<{ readonly records: readonly MetricEventRecord[]; readonly end: MetricEventPosition | null }> {
    const { recent, settled, journal, clock } = this.#options
    const inMemory = new Map(recent.list(query).map((record) => [record.id, record]))
    const inEngine = await settled.findPlaces(query, clock.now())
    const places: FoundMetricEvent[] = distinct([...inMemory.values(), ...inEngine]).sort(compareNewest)
    const page = places.slice(0, query.limit)
    const removed = await journal.removedEvents(query.projectId)
    const deleted = await journal.deletedAmong([...new Set(page.map(({ traceId }) => traceId))])
    const live = page.filter(({ traceId, id }) => !deleted.has(traceId) && !removed.has(id))
    const shown = live.slice(0, most)
    const missing = shown.filter(({ id }) => !inMemory.has(id))
    const read = new Map(
      (await settled.findRecords(query.projectId, missing)).map((record) => [record.id, record] as const),
    )
    // One that is not there was purged since.
    const records = shown.flatMap(({ id }) => inMemory.get(id) ?? read.get(id) ?? [])
    const goesOn = shown.length < live.length ? shown.at(-1) : page.length === query.limit ? page.at(-1) : undefined
    return { records: await this.#withoutDeleted(query.projectId, records), end: goesOn ?? null }
  }

  async #withoutDeleted(
    projectId: ProjectId,
    records: readonly MetricEventRecord[],
  ): Promise<readonly MetricEventRecord[]> {
    const { journal } = this.#options
    const removed = await journal.removedEvents(projectId)
    const deleted = await journal.deletedAmong([...new Set(records.map(({ traceId }) => traceId))])
    if (deleted.size + removed.size === 0) return records
    return records.filter(({ traceId, id }) => !deleted.has(traceId) && !removed.has(id))
  }
}

function distinct<T extends { readonly id: MetricEventId }>(events: readonly T[]): T[] {
  return [...new Map(events.map((event) => [event.id, event])).values()]
}
