import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../../../ports/journal/metric-event.ts'
import { bucketOf, type TimeBuckets } from '../../../lib/time/time-buckets.ts'
import type { MetricAggregates, MetricSeriesQuery, SeriesPoint } from '../../../ports/metrics/metric-series.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'

type Points = readonly SeriesPoint<MetricAggregates>[]
/** A query without its span. */
type SpanlessQuery = Omit<MetricSeriesQuery, 'span'>

/** The relevant part of a commit. */
export interface SeriesChange {
  readonly traces: readonly Pick<TraceRecord, 'projectId' | 'deleted'>[]
  readonly metricEvents: readonly { readonly record: Pick<MetricEventRecord, 'metricId' | 'at'> }[]
}

/** One running read, from before it waits for settled rows until its end. */
export interface SeriesRead {
  /** The points of a bucket, empty for an empty bucket; undefined when it is not cached. */
  find(bucket: number): Points | undefined
  /**
   * Caches all points of a whole bucket, unless it got a commit since the read began: the points may lack that commit.
   */
  store(bucket: number, points: Points): void
  /** Evicts all buckets of the query. */
  forget(): void
  end(): void
}

/** About 12 MB. */
const MOST_NUMBERS = 200_000
/** Each event is compared with all cached queries of its metric. */
const MOST_QUERIES = 100

/**
 * Caches aggregated buckets per query; a bucket is recomputed only after a new event falls into it. `note` is called
 * with every commit before the commit is acknowledged: it evicts the buckets that got an event, and all buckets of a
 * project with a deleted trace. So the cache never lacks what was acknowledged before a read began. In memory and
 * bounded; evicts the least recently used query first.
 */
export class SeriesCache {
  readonly #mostNumbers: number
  /** Ordered by last use, the latest last. */
  readonly #entries = new Map<string, Entry>()
  readonly #ofMetric = new Map<MetricId, Set<Entry>>()
  #numbers = 0

  constructor(mostNumbers = MOST_NUMBERS) {
    this.#mostNumbers = mostNumbers
  }

  /** Numbers held in all points. */
  get numbers(): number {
    return this.#numbers
  }

  /** MUST be called when a commit becomes readable. */
  note({ traces, metricEvents }: SeriesChange): void {
    for (const { record } of metricEvents) {
      for (const entry of this.#ofMetric.get(record.metricId) ?? []) {
        const bucket = bucketOf(entry.buckets, record.at)
        this.#drop(entry, bucket)
        for (const changed of entry.reads) changed.add(bucket)
      }
    }
    const purged = new Set(traces.filter((trace) => trace.deleted).map(({ projectId }) => projectId))
    if (purged.size === 0) return
    for (const entry of this.#entries.values()) if (purged.has(entry.projectId)) this.#forget(entry)
  }

  /** MUST be called before the read waits for settled rows, and `end` MUST be called after it. */
  beginRead(query: SpanlessQuery): SeriesRead {
    const entry = this.#entryOf(query)
    const changed = new Set<number>()
    entry.reads.add(changed)
    return {
      find: (bucket) => entry.cached.get(bucket),
      store: (bucket, points) => {
        if (!entry.forgotten && !changed.has(bucket)) this.#store(entry, bucket, points)
      },
      forget: () => this.#forget(entry),
      end: () => {
        entry.reads.delete(changed)
        if (entry.reads.size === 0 && entry.cached.size === 0) this.#forget(entry)
      },
    }
  }

  #entryOf(query: SpanlessQuery): Entry {
    const key = keyOf(query)
    const known = this.#entries.get(key)
    const entry = known ?? new Entry(key, query)
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (known === undefined) {
      const ofMetric = this.#ofMetric.get(entry.metricId) ?? new Set()
      this.#ofMetric.set(entry.metricId, ofMetric.add(entry))
    }
    this.#forgetOldest()
    return entry
  }

  #store(entry: Entry, bucket: number, points: Points): void {
    this.#drop(entry, bucket)
    entry.cached.set(bucket, points)
    const numbers = numbersIn(points)
    entry.numbers += numbers
    this.#numbers += numbers
    this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const oldest of this.#entries.values()) {
      if (this.#numbers <= this.#mostNumbers && this.#entries.size <= MOST_QUERIES) return
      this.#forget(oldest)
    }
  }

  #drop(entry: Entry, bucket: number): void {
    const points = entry.cached.get(bucket)
    if (points === undefined) return
    entry.cached.delete(bucket)
    const numbers = numbersIn(points)
    entry.numbers -= numbers
    this.#numbers -= numbers
  }

  /** Running reads continue without the entry and cache nothing. */
  #forget(entry: Entry): void {
    if (entry.forgotten) return
    entry.forgotten = true
    this.#numbers -= entry.numbers
    this.#entries.delete(entry.key)
    const ofMetric = this.#ofMetric.get(entry.metricId)
    ofMetric?.delete(entry)
    if (ofMetric?.size === 0) this.#ofMetric.delete(entry.metricId)
  }
}

class Entry {
  readonly key: string
  readonly projectId: ProjectId
  readonly metricId: MetricId
  readonly buckets: TimeBuckets
  readonly cached = new Map<number, Points>()
  /** For each running read, the buckets that got a commit since it began. */
  readonly reads = new Set<Set<number>>()
  numbers = 0
  forgotten = false

  constructor(key: string, { projectId, metricId, buckets }: SpanlessQuery) {
    this.key = key
    this.projectId = projectId
    this.metricId = metricId
    this.buckets = buckets
  }
}

function keyOf({ projectId, metricId, kind, options, buckets, filters, groupBy }: SpanlessQuery): string {
  const { sizeMs, originMs, offsets } = buckets
  return JSON.stringify([projectId, metricId, kind, options, sizeMs, originMs, offsets, filters, groupBy])
}

/** Approximate number of numbers held for these points, including that of the bucket. */
function numbersIn(points: Points): number {
  let numbers = 1
  for (const { aggregates } of points) {
    numbers += 3
    if (aggregates.kind === 'numeric') numbers += 5
    else numbers += aggregates.kind === 'enum' ? Object.keys(aggregates.counts).length : 1
  }
  return numbers
}
