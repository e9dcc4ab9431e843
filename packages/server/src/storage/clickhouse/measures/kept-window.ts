import { isPercentile, PERCENTILES } from '@spoor/contract/aggregations'
import type { Aggregation, MeasureQuery, MeasureResult } from '../../../ports/monitors/monitor-measures.ts'
import { type BucketNumbers, joinNumbers, quantileOf, sizeOf } from './bucket-numbers.ts'
import { joinSums, NO_SUMS, type Sums, toResult } from './aggregate-sums.ts'
import { bucketAt, type BucketPlace, type BucketSizes, bucketsOfWindow, placesBetween } from './window-buckets.ts'

/** The contribution of a bucket's rows to a window. */
interface Bucket {
  readonly sums: Sums
  /** Null until they are read, and for other aggregations than percentiles. */
  readonly numbers: BucketNumbers | null
}

/** Percentiles are exact up to this many numbers, as in the engine, and rounded from twice as many on. */
const MOST_EXACT = 8192
const EMPTY: Bucket = { sums: NO_SUMS, numbers: new Float64Array(0) }

/** All percentiles need the same. */
export function measureKeyOf({ source, filters, aggregation }: MeasureQuery): string {
  return JSON.stringify([source, filters, isPercentile(aggregation) ? 'percentile' : aggregation])
}

/** The buckets of one measure over a window that moves. A bucket is read once, and again after a change in it. */
export class KeptWindow {
  readonly question: MeasureQuery
  /** Equal for windows whose rows are aggregated in the same way. */
  readonly measureKey: string
  /** Whether numbers are needed, for percentiles. */
  readonly hasNumbers: boolean
  readonly #sizes: BucketSizes
  /** By size. */
  readonly #kept: ReadonlyMap<number, Map<number, Bucket>>
  #places: readonly BucketPlace[] = []
  #until = -Infinity
  #isRounded = false
  #weight = 0

  constructor(question: MeasureQuery, sizes: BucketSizes) {
    this.question = question
    this.measureKey = measureKeyOf(question)
    this.hasNumbers = isPercentile(question.aggregation)
    this.#sizes = sizes
    this.#kept = new Map([sizes.shortMs, sizes.longMs].map((sizeMs) => [sizeMs, new Map<number, Bucket>()]))
  }

  get until(): number {
    return this.#until
  }

  get isRounded(): boolean {
    return this.#isRounded
  }

  /** Approximate number of numbers held when the window moved last. */
  get weight(): number {
    return this.#weight
  }

  /** Forgets each bucket with one of these short ones in it. */
  forget(shortBuckets: ReadonlySet<number>): void {
    const { shortMs, longMs } = this.#sizes
    for (const bucket of shortBuckets) {
      this.#of(shortMs).delete(bucket)
      this.#of(longMs).delete(bucketAt(longMs, (bucket + 1) * shortMs))
    }
  }

  /** Moves to the window `(from, until]`. Forgets all other buckets. */
  move(from: number, until: number): void {
    this.#until = until
    this.#places = bucketsOfWindow(this.#sizes, from, until)
    const found = this.#places.map((place) => this.#find(place) ?? this.#joinShort(place))
    for (const buckets of this.#kept.values()) buckets.clear()
    this.#weight = 0
    this.#places.forEach(({ sizeMs, bucket }, at) => {
      const one = found[at]
      if (one === undefined) return
      this.#of(sizeMs).set(bucket, one)
      this.#weight += one === EMPTY ? 4 : 16 + (one.numbers === null ? 0 : sizeOf(one.numbers))
    })
  }

  /** Buckets that must be read. */
  get missing(): readonly BucketPlace[] {
    return this.#places.filter((place) => this.#find(place) === undefined)
  }

  /** Buckets whose numbers must be read. */
  get withoutNumbers(): readonly BucketPlace[] {
    return this.#places.filter((place) => this.#find(place)?.numbers === null)
  }

  /** Does nothing if the bucket is known. */
  put({ sizeMs, bucket }: BucketPlace, sums: Sums): void {
    const buckets = this.#of(sizeMs)
    if (!buckets.has(bucket)) buckets.set(bucket, sums.samples === 0 ? EMPTY : { sums, numbers: null })
  }

  putNumbers(place: BucketPlace, numbers: BucketNumbers): void {
    const bucket = this.#find(place)
    if (bucket?.numbers === null) this.#of(place.sizeMs).set(place.bucket, { ...bucket, numbers })
  }

  /** MUST be called when no bucket is missing, before numbers are read. */
  chooseRounding(): void {
    const { samples } = this.#sums()
    if (this.#isRounded ? samples > MOST_EXACT : samples <= 2 * MOST_EXACT) return
    this.#isRounded = !this.#isRounded
    for (const buckets of this.#kept.values()) {
      for (const [at, bucket] of buckets) {
        if (bucket === EMPTY || bucket.numbers === null) continue
        buckets.set(at, { ...bucket, numbers: this.#isRounded ? joinNumbers([bucket.numbers], true) : null })
      }
    }
  }

  /** MUST be called when nothing is missing. */
  answer(aggregation: Aggregation): MeasureResult {
    const sums = this.#sums()
    if (!isPercentile(aggregation)) return toResult(aggregation, sums)
    const parts = this.#buckets().map(({ numbers }) => numbers as BucketNumbers)
    return { value: quantileOf(parts, this.#isRounded, PERCENTILES[aggregation].fraction), samples: sums.samples }
  }

  #sums(): Sums {
    return joinSums(this.#buckets().map(({ sums }) => sums))
  }

  #buckets(): readonly Bucket[] {
    return this.#places.map((place) => this.#find(place) as Bucket)
  }

  #find({ sizeMs, bucket }: BucketPlace): Bucket | undefined {
    return this.#of(sizeMs).get(bucket)
  }

  #of(sizeMs: number): Map<number, Bucket> {
    return this.#kept.get(sizeMs) as Map<number, Bucket>
  }

  /** A long bucket from its short ones; undefined if one of them is not known. */
  #joinShort({ sizeMs, bucket }: BucketPlace): Bucket | undefined {
    const { shortMs } = this.#sizes
    if (sizeMs === shortMs) return undefined
    const parts: Bucket[] = []
    for (const place of placesBetween(shortMs, bucket * sizeMs, (bucket + 1) * sizeMs)) {
      const part = this.#find(place)
      if (part === undefined) return undefined
      if (part !== EMPTY) parts.push(part)
    }
    if (parts.length === 0) return EMPTY
    const numbers = parts.flatMap((part) => part.numbers ?? [])
    const areAllKnown = numbers.length === parts.length
    const sums = joinSums(parts.map((part) => part.sums))
    return { sums, numbers: areAllKnown ? joinNumbers(numbers, this.#isRounded) : null }
  }
}
