import { isPercentile, PERCENTILES } from '@spoor/contract/aggregations'
import {
  type Aggregation,
  type MeasureQuery,
  type MeasureResult,
  ofGroups,
} from '../../../ports/monitors/monitor-measures.ts'
import { type BucketNumbers, joinNumbers, quantileOf, sizeOf } from './bucket-numbers.ts'
import { joinSums, NO_SUMS, type Sums, toResult } from './aggregate-sums.ts'
import { bucketAt, type BucketPlace, type BucketSizes, bucketsOfWindow, placesBetween } from './window-buckets.ts'

/** The contribution of a bucket's rows to a window, or of those of a group. */
interface Contribution {
  readonly sums: Sums
  /** Null until they are read, and for other aggregations than percentiles. */
  readonly numbers: BucketNumbers | null
}

/** Percentiles are exact up to this many numbers, as in the engine, and rounded from twice as many on. */
const MOST_EXACT = 8192
const NOTHING: Contribution = { sums: NO_SUMS, numbers: new Float64Array(0) }

/** By group; without groups of one query, by ''. A group without rows is absent. */
type Bucket = ReadonlyMap<string, Contribution>
const EMPTY: Bucket = new Map()
const WHOLE = ''

/** All percentiles need the same. */
export function measureKeyOf({ source, filters, forEach, aggregation }: MeasureQuery): string {
  return JSON.stringify([source, filters, forEach, isPercentile(aggregation) ? 'percentile' : aggregation])
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
      this.#weight += 4
      for (const { numbers } of one.values()) this.#weight += 12 + (numbers === null ? 0 : sizeOf(numbers))
    })
  }

  /** Buckets that must be read. */
  get missing(): readonly BucketPlace[] {
    return this.#places.filter((place) => this.#find(place) === undefined)
  }

  /** Buckets whose numbers must be read. */
  get withoutNumbers(): readonly BucketPlace[] {
    return this.#places.filter((place) => lacksNumbers(this.#find(place) ?? EMPTY))
  }

  /** The sums of each group. Does nothing if the bucket is known. */
  put({ sizeMs, bucket }: BucketPlace, groups: ReadonlyMap<string, Sums>): void {
    const buckets = this.#of(sizeMs)
    if (buckets.has(bucket)) return
    const known = [...groups].flatMap(([group, sums]) =>
      sums.samples === 0 ? [] : [[group, { sums, numbers: null }] as const],
    )
    buckets.set(bucket, known.length === 0 ? EMPTY : new Map(known))
  }

  putNumbers({ sizeMs, bucket }: BucketPlace, groups: ReadonlyMap<string, BucketNumbers>): void {
    const found = this.#of(sizeMs).get(bucket)
    if (found === undefined || !lacksNumbers(found)) return
    const known = [...found].map(([group, { sums, numbers }]) => {
      return [group, { sums, numbers: numbers ?? groups.get(group) ?? NOTHING.numbers }] as const
    })
    this.#of(sizeMs).set(bucket, new Map(known))
  }

  /** MUST be called when no bucket is missing, before numbers are read. */
  chooseRounding(): void {
    const { samples } = joinSums(this.#buckets().flatMap((bucket) => [...bucket.values()].map(({ sums }) => sums)))
    if (this.#isRounded ? samples > MOST_EXACT : samples <= 2 * MOST_EXACT) return
    this.#isRounded = !this.#isRounded
    for (const buckets of this.#kept.values()) {
      for (const [at, bucket] of buckets) {
        const changed = [...bucket].map(([group, { sums, numbers }]) => {
          const rounded = this.#isRounded && numbers !== null ? joinNumbers([numbers], true) : null
          return [group, { sums, numbers: rounded }] as const
        })
        if (changed.length > 0) buckets.set(at, new Map(changed))
      }
    }
  }

  /** MUST be called when nothing is missing. */
  result(aggregation: Aggregation): MeasureResult {
    const buckets = this.#buckets()
    if (this.question.forEach === null) {
      return this.#resultOf(
        aggregation,
        buckets.flatMap((bucket) => bucket.get(WHOLE) ?? []),
      )
    }
    return ofGroups(
      [...byGroup(buckets)].map(([group, parts]) => Object.assign(this.#resultOf(aggregation, parts), { group })),
    )
  }

  #resultOf(aggregation: Aggregation, parts: readonly Contribution[]): MeasureResult {
    const sums = joinSums(parts.map((part) => part.sums))
    if (!isPercentile(aggregation)) return toResult(aggregation, sums)
    const numbers = parts.map((part) => part.numbers as BucketNumbers)
    return { value: quantileOf(numbers, this.#isRounded, PERCENTILES[aggregation].fraction), samples: sums.samples }
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
      parts.push(part)
    }
    const joined = [...byGroup(parts)].map(([group, some]) => [group, this.#join(some)] as const)
    return joined.length === 0 ? EMPTY : new Map(joined)
  }

  #join(parts: readonly Contribution[]): Contribution {
    const numbers = parts.flatMap((part) => part.numbers ?? [])
    const areAllKnown = numbers.length === parts.length
    const sums = joinSums(parts.map((part) => part.sums))
    return { sums, numbers: areAllKnown ? joinNumbers(numbers, this.#isRounded) : null }
  }
}

function lacksNumbers(bucket: Bucket): boolean {
  return [...bucket.values()].some(({ numbers }) => numbers === null)
}

function byGroup(buckets: readonly Bucket[]): ReadonlyMap<string, readonly Contribution[]> {
  const groups = new Map<string, Contribution[]>()
  for (const bucket of buckets) {
    for (const [group, part] of bucket) {
      const parts = groups.get(group)
      if (parts === undefined) groups.set(group, [part])
      else parts.push(part)
    }
  }
  return groups
}
