import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../../../ports/journal/metric-event.ts'
import { bucketOf, type TimeBuckets } from '../../../lib/time/time-buckets.ts'
import type { MetricAggregates, MetricSeriesQuery, SeriesPoint } from '../../../ports/metrics/metric-series.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'

type Points = readonly SeriesPoint<MetricAggregates>[]
/** What is asked, whatever the span. */
type SeriesQuestion = Omit<MetricSeriesQuery, 'span'>

/** What of a commit matters here. */
export interface SeriesChange {
  readonly traces: readonly Pick<TraceRecord, 'projectId' | 'deleted'>[]
  readonly metricEvents: readonly { readonly record: Pick<MetricEventRecord, 'metricId' | 'at'> }[]
}

/** One answer in the making, from before it waits for what it is to count until its end. */
export interface SeriesLook {
  /** The points of a bucket, none of an empty one; undefined when it is to be read. */
  find(bucket: number): Points | undefined
  /**
   * All points of a whole bucket. They are not kept when something was committed to it since the look began: they may
   * be without that.
   */
  keep(bucket: number, points: Points): void
  /** Lets go of all buckets of the question. */
  forget(): void
  end(): void
}

/** About 12 MB. */
const MOST_NUMBERS = 200_000
/** Each event is held against all those of its metric. */
const MOST_QUESTIONS = 100

/**
 * What the buckets of metric series came to: who looks again reads only those to which something was committed since.
 * It is told of every commit before that is answered; buckets that got an event are forgotten, and with a deleted trace
 * all of its project. So nothing is found here that is without what was acknowledged before the look began. In memory
 * alone and bounded: the question that was asked the longest ago is forgotten first.
 */
export class SeriesCache {
  readonly #mostNumbers: number
  /** The one asked last comes last. */
  readonly #entries = new Map<string, Entry>()
  readonly #ofMetric = new Map<MetricId, Set<Entry>>()
  #numbers = 0

  constructor(mostNumbers = MOST_NUMBERS) {
    this.#mostNumbers = mostNumbers
  }

  /** Held, of all points together. */
  get numbers(): number {
    return this.#numbers
  }

  /** MUST be called when a commit becomes readable. */
  note({ traces, metricEvents }: SeriesChange): void {
    for (const { record } of metricEvents) {
      for (const entry of this.#ofMetric.get(record.metricId) ?? []) {
        const bucket = bucketOf(entry.buckets, record.at)
        this.#drop(entry, bucket)
        for (const changed of entry.looks) changed.add(bucket)
      }
    }
    const purged = new Set(traces.filter((trace) => trace.deleted).map(({ projectId }) => projectId))
    if (purged.size === 0) return
    for (const entry of this.#entries.values()) if (purged.has(entry.projectId)) this.#forget(entry)
  }

  /** MUST be called before the answer waits for what it is to count, and ended. */
  look(question: SeriesQuestion): SeriesLook {
    const entry = this.#entryOf(question)
    const changed = new Set<number>()
    entry.looks.add(changed)
    return {
      find: (bucket) => entry.kept.get(bucket),
      keep: (bucket, points) => {
        if (!entry.forgotten && !changed.has(bucket)) this.#keep(entry, bucket, points)
      },
      forget: () => this.#forget(entry),
      end: () => {
        entry.looks.delete(changed)
        if (entry.looks.size === 0 && entry.kept.size === 0) this.#forget(entry)
      },
    }
  }

  #entryOf(question: SeriesQuestion): Entry {
    const key = keyOf(question)
    const known = this.#entries.get(key)
    const entry = known ?? new Entry(key, question)
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (known === undefined) {
      const ofMetric = this.#ofMetric.get(entry.metricId) ?? new Set()
      this.#ofMetric.set(entry.metricId, ofMetric.add(entry))
    }
    this.#forgetOldest()
    return entry
  }

  #keep(entry: Entry, bucket: number, points: Points): void {
    this.#drop(entry, bucket)
    entry.kept.set(bucket, points)
    const numbers = numbersIn(points)
    entry.numbers += numbers
    this.#numbers += numbers
    this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const oldest of this.#entries.values()) {
      if (this.#numbers <= this.#mostNumbers && this.#entries.size <= MOST_QUESTIONS) return
      this.#forget(oldest)
    }
  }

  #drop(entry: Entry, bucket: number): void {
    const points = entry.kept.get(bucket)
    if (points === undefined) return
    entry.kept.delete(bucket)
    const numbers = numbersIn(points)
    entry.numbers -= numbers
    this.#numbers -= numbers
  }

  /** Looks under way go on without it, and keep nothing. */
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
  readonly kept = new Map<number, Points>()
  /** Of each look under way the buckets to which something was committed since it began. */
  readonly looks = new Set<Set<number>>()
  numbers = 0
  forgotten = false

  constructor(key: string, { projectId, metricId, buckets }: SeriesQuestion) {
    this.key = key
    this.projectId = projectId
    this.metricId = metricId
    this.buckets = buckets
  }
}

function keyOf({ projectId, metricId, kind, options, buckets, filters, groupBy }: SeriesQuestion): string {
  return JSON.stringify([projectId, metricId, kind, options, buckets.sizeMs, buckets.originMs, filters, groupBy])
}

/** About how many numbers are held for them, that of the bucket among them. */
function numbersIn(points: Points): number {
  let numbers = 1
  for (const { aggregates } of points) {
    numbers += 3
    if (aggregates.kind === 'numeric') numbers += 5
    else numbers += aggregates.kind === 'enum' ? Object.keys(aggregates.counts).length : 1
  }
  return numbers
}
