import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../../../ports/journal/metric-event.ts'
import { bucketOf, type TimeBuckets } from '../../../lib/time/time-buckets.ts'
import type { MetricSeriesQuery } from '../../../ports/metrics/metric-series.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { ProjectFilter } from '../../../ports/traces/trace-store.ts'
import type { KeptQuery } from './scanned.ts'

/** A query without its span. Two queries with the same fields have the same points. */
type SpanlessQuery = Omit<MetricSeriesQuery, 'span'> | KeptQuery | UsersQuery

/** Sums of users over the traces that meet the conditions. */
interface UsersQuery {
  readonly projectId: ProjectId
  readonly buckets: TimeBuckets
  readonly conditions: readonly string[]
  /** Fingerprint of their prices. */
  readonly prices: string
}

/** The relevant part of a commit. */
export interface SeriesChange {
  readonly traces: readonly Pick<TraceRecord, 'projectId' | 'createdAt' | 'deleted'>[]
  readonly metricEvents: readonly { readonly record: Pick<MetricEventRecord, 'metricId' | 'at'> }[]
  readonly removedEvents?: readonly Pick<MetricEventRecord, 'metricId' | 'at'>[]
}

/** One running read, from before it waits for settled rows until its end. */
export interface SeriesRead<Point> {
  /** The points of a bucket, empty for an empty bucket; undefined when it is not cached. */
  find(bucket: number): readonly Point[] | undefined
  /**
   * Caches all points of a whole bucket, unless it got a commit since the read began: the points may lack that commit.
   */
  store(bucket: number, points: readonly Point[]): void
  /** Evicts all buckets of the query. */
  forget(): void
  end(): void
}

/** About 38 MB: sums of the users of a million traces are half of it. */
const MOST_NUMBERS = 600_000
/** Each event is compared with all cached queries of its metric, each version of a trace with those of its project. */
const MOST_QUERIES = 100

/**
 * Caches aggregated buckets per query; a bucket is recomputed only after a commit to it: of an event, for a series of a
 * metric, or of any version of a trace that was created in it, a deletion too, for series of traces and steps and sums
 * of users. `note` is called with every commit before the commit is acknowledged. It evicts these buckets, and all
 * buckets of metrics of a project with a deleted trace. So the cache never lacks what was acknowledged before a read
 * began. In memory and bounded; evicts the least recently used query first.
 */
export class SeriesCache {
  readonly #mostNumbers: number
  /** Ordered by last use, the latest last. */
  readonly #entries = new Map<string, Entry>()
  readonly #ofSource = new Map<Source, Set<Entry>>()
  #numbers = 0

  constructor(mostNumbers = MOST_NUMBERS) {
    this.#mostNumbers = mostNumbers
  }

  /** Numbers held in all points. */
  get numbers(): number {
    return this.#numbers
  }

  /** MUST be called when a commit becomes readable. */
  note({ traces, metricEvents, removedEvents = [] }: SeriesChange): void {
    for (const { record } of metricEvents) this.#change(record.metricId, record.at)
    for (const { metricId, at } of removedEvents) this.#change(metricId, at)
    for (const { projectId, createdAt } of traces) this.#change(projectId, createdAt)
    const purged = new Set(traces.filter((trace) => trace.deleted).map(({ projectId }) => projectId))
    if (purged.size === 0) return
    for (const entry of this.#entries.values())
      if (entry.source !== entry.projectId && purged.has(entry.projectId)) this.#forget(entry)
  }

  forget(isOf: ProjectFilter): void {
    for (const entry of this.#entries.values()) if (isOf(entry.projectId)) this.#forget(entry)
  }

  #change(source: Source, at: number): void {
    for (const entry of this.#ofSource.get(source) ?? []) {
      const bucket = bucketOf(entry.buckets, at)
      this.#drop(entry, bucket)
      for (const changed of entry.reads) changed.add(bucket)
    }
  }

  /** MUST be called before the read waits for settled rows, and `end` MUST be called after it. */
  beginRead<Point>(query: SpanlessQuery): SeriesRead<Point> {
    const entry = this.#entryOf(query)
    const changed = new Set<number>()
    entry.reads.add(changed)
    return {
      find: (bucket) => entry.cached.get(bucket) as readonly Point[] | undefined,
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
      const ofSource = this.#ofSource.get(entry.source) ?? new Set()
      this.#ofSource.set(entry.source, ofSource.add(entry))
    }
    return entry
  }

  #store(entry: Entry, bucket: number, points: readonly unknown[]): void {
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
    const ofSource = this.#ofSource.get(entry.source)
    ofSource?.delete(entry)
    if (ofSource?.size === 0) this.#ofSource.delete(entry.source)
  }
}

/** A metric by its events, or a project by its traces. */
type Source = MetricId | ProjectId

class Entry {
  readonly key: string
  readonly projectId: ProjectId
  readonly source: Source
  readonly buckets: TimeBuckets
  readonly cached = new Map<number, readonly unknown[]>()
  /** For each running read, the buckets that got a commit since it began. */
  readonly reads = new Set<Set<number>>()
  numbers = 0
  forgotten = false

  constructor(key: string, query: SpanlessQuery) {
    this.key = key
    this.projectId = query.projectId
    this.source = 'metricId' in query ? query.metricId : query.projectId
    this.buckets = query.buckets
  }
}

/** Buckets have names, such as `1h` and `60m`, that do not matter. */
function keyOf(query: SpanlessQuery): string {
  return JSON.stringify({ ...query, span: null, buckets: { ...query.buckets, text: null } })
}

/**
 * Approximate number of numbers held for these points, including that of the bucket. A number takes 64 bytes; 8
 * characters count as one.
 */
export function numbersIn(points: readonly unknown[]): number {
  return points.reduce((numbers: number, point) => numbers + leavesIn(point), 1)
}

function leavesIn(value: unknown): number {
  if (typeof value === 'string') return value.length >> 3
  if (typeof value !== 'object' || value === null) return 1
  if (ArrayBuffer.isView(value)) return value.byteLength >> 6
  return Object.values(value).reduce((leaves: number, each) => leaves + leavesIn(each), 0)
}
