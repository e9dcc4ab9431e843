import { isPercentile, PERCENTILES } from '@spoor/contract/aggregations'
import { MONITOR_GROUPS_MAX } from '@spoor/contract/limits'
import type { Aggregation, MeasureQuery, MeasureResult } from '../../../ports/monitors/monitor-measures.ts'
import { allOf, type BucketNumbers, joinNumbers, type Part, quantileOf, sizeOf } from './bucket-numbers.ts'
import { addSums, NO_SUMS, type Sums, sumsFor, toResult } from './aggregate-sums.ts'
import { largestGroups } from './largest-groups.ts'
import { bucketAt, type BucketPlace, type BucketSizes, bucketsOfWindow, placesBetween } from './window-buckets.ts'

/** The rows of a bucket by group. A group without samples is absent. Without groups of one query, there is one: ''. */
interface Bucket {
  /** For each group a stretch of `#width` numbers: the number of the group, its sums, and the end of its `numbers`. */
  readonly groups: Float64Array
  /** Of all groups, in their order. Null until they are read, and for other aggregations than percentiles. */
  readonly numbers: BucketNumbers | null
}

/** Percentiles are exact up to this many numbers, as in the engine, and rounded from twice as many on. */
const MOST_EXACT = 8192
const EMPTY: Bucket = { groups: new Float64Array(0), numbers: new Float64Array(0) }
const WHOLE = ''
/** A name of a group, and where it is found. */
const WEIGHT_OF_NAME = 8
/** Names of this many groups may remain after the groups have left the window, and of as many as it has. */
const MOST_UNUSED_NAMES = 1000

/** All percentiles need the same. */
export function measureKeyOf({ source, filters, forEach, aggregation }: MeasureQuery): string {
  return JSON.stringify([source, filters, forEach, isPercentile(aggregation) ? 'percentile' : aggregation])
}

/**
 * The buckets of one measure over a window that moves. A bucket is read once, and again after a change in it. Buckets
 * are arrays of numbers, in which groups have numbers too: adding up a hundred thousand takes less than a millisecond.
 */
export class KeptWindow {
  readonly question: MeasureQuery
  /** Equal for windows whose rows are aggregated in the same way. */
  readonly measureKey: string
  /** Whether numbers are needed, for percentiles. */
  readonly hasNumbers: boolean
  /** The sums that are kept, `samples` first. */
  readonly sums: readonly (keyof Sums)[]
  readonly #width: number
  readonly #sizes: BucketSizes
  /** By size. */
  readonly #kept: ReadonlyMap<number, Map<number, Bucket>>
  /** The names of groups, by number, and the numbers by name. */
  #names: string[] = []
  readonly #numbers = new Map<string, number>()
  #places: readonly BucketPlace[] = []
  /** The sums of each group in the window; null until it is computed. */
  #totals: Float64Array | null = null
  /** Long buckets, which change once in many moves, and the sums of each group in them. */
  #long: readonly Bucket[] = []
  #ofLong: Float64Array = new Float64Array(0)
  #until = -Infinity
  #isRounded = false
  #weight = 0

  constructor(question: MeasureQuery, sizes: BucketSizes) {
    const { aggregation } = question
    this.question = question
    this.measureKey = measureKeyOf(question)
    this.hasNumbers = isPercentile(aggregation)
    this.sums = isPercentile(aggregation) ? ['samples'] : sumsFor(aggregation)
    this.#width = this.sums.length + 2
    this.#sizes = sizes
    this.#kept = new Map([sizes.shortMs, sizes.longMs].map((sizeMs) => [sizeMs, new Map<number, Bucket>()]))
  }

  get until(): number {
    return this.#until
  }

  get isRounded(): boolean {
    return this.#isRounded
  }

  /** Approximate number of numbers held when the window moved last, in 8 bytes each. */
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
    this.#places.forEach(({ sizeMs, bucket }, at) => {
      const one = found[at]
      if (one !== undefined) this.#of(sizeMs).set(bucket, one)
    })
    const kept = found.filter((one) => one !== undefined)
    this.#forgetNames(kept)
    this.#totals = null
    this.#weight = WEIGHT_OF_NAME * this.#names.length
    for (const { groups, numbers } of kept) {
      this.#weight += 12 + groups.length + (numbers === null ? 0 : sizeOf(numbers))
    }
  }

  /** Buckets that must be read. */
  get missing(): readonly BucketPlace[] {
    return this.#places.filter((place) => this.#find(place) === undefined)
  }

  /** Buckets whose numbers must be read. */
  get withoutNumbers(): readonly BucketPlace[] {
    return this.#places.filter((place) => this.#find(place)?.numbers === null)
  }

  /** The values of `sums` for each group. Does nothing if the bucket is known. */
  put({ sizeMs, bucket }: BucketPlace, found: ReadonlyMap<string, readonly number[]>): void {
    const buckets = this.#of(sizeMs)
    if (buckets.has(bucket)) return
    const groups: number[] = []
    for (const [name, sums] of found) if (sums[0] !== 0) groups.push(this.#numberOf(name), ...sums, 0)
    const numbers = null
    buckets.set(bucket, groups.length === 0 ? EMPTY : { groups: Float64Array.from(groups), numbers })
    this.#totals = null
  }

  putNumbers({ sizeMs, bucket }: BucketPlace, found: ReadonlyMap<string, BucketNumbers>): void {
    const known = this.#of(sizeMs).get(bucket)
    if (known === undefined || known.numbers !== null) return
    const parts = this.#stretches(known).map((at): Part[] => {
      const numbers = found.get(this.#names[known.groups[at] as number] as string)
      return numbers === undefined ? [] : [allOf(numbers)]
    })
    this.#of(sizeMs).set(bucket, this.#withNumbers(known.groups, parts))
  }

  /** MUST be called when no bucket is missing, before numbers are read. */
  chooseRounding(): void {
    const samples = sumOf(this.#samplesOf(this.#totalsOf()))
    if (this.#isRounded ? samples > MOST_EXACT : samples <= 2 * MOST_EXACT) return
    this.#isRounded = !this.#isRounded
    for (const buckets of this.#kept.values()) {
      for (const [at, known] of buckets) {
        if (known.groups.length === 0 || known.numbers === null) continue
        const parts = () => this.#stretches(known).map((stretch) => this.#partsAt(known, stretch))
        buckets.set(at, this.#isRounded ? this.#withNumbers(known.groups, parts()) : { ...known, numbers: null })
      }
    }
  }

  /** MUST be called when nothing is missing. Of groups, the largest and those that are needed. */
  result(aggregation: Aggregation, needed: readonly string[] = []): MeasureResult {
    const totals = this.#totalsOf()
    if (this.question.forEach === null) return this.#results(aggregation, totals, [this.#numberOf(WHOLE)])[0]!
    const samples = this.#samplesOf(totals)
    const chosen = new Set(largestGroups(this.#names, samples, MONITOR_GROUPS_MAX))
    for (const name of needed) {
      const group = this.#numbers.get(name)
      if (group !== undefined && samples[group] !== 0) chosen.add(group)
    }
    const results = this.#results(aggregation, totals, [...chosen])
    const groups = [...chosen].map((group, at) => Object.assign(results[at]!, { group: this.#names[group] as string }))
    return { value: null, samples: sumOf(samples), groups }
  }

  #results(aggregation: Aggregation, totals: Float64Array, groups: readonly number[]): readonly MeasureResult[] {
    const sums = groups.map((group) => this.#sumsAt(totals, group * this.sums.length))
    if (!isPercentile(aggregation)) return sums.map((one) => toResult(aggregation, one))
    const parts = this.#partsOf(this.#buckets(), groups)
    const { fraction } = PERCENTILES[aggregation]
    return sums.map(({ samples }, at) => ({ value: quantileOf(parts[at]!, this.#isRounded, fraction), samples }))
  }

  /** Computed by adding: subtracting from a sum would leave rounding errors. */
  #totalsOf(): Float64Array {
    if (this.#totals !== null) return this.#totals
    const isLong = ({ sizeMs }: BucketPlace) => sizeMs === this.#sizes.longMs
    const long = this.#buckets(isLong)
    if (long.length !== this.#long.length || long.some((bucket, at) => bucket !== this.#long[at])) {
      this.#long = long
      this.#ofLong = this.#join(long)
    }
    return (this.#totals = this.#join(
      this.#buckets((place) => !isLong(place)),
      this.#ofLong,
    ))
  }

  /** The sums of each group in the buckets and `before` them. */
  #join(buckets: readonly Bucket[], before: Float64Array = new Float64Array(0)): Float64Array {
    const width = this.sums.length
    const totals = new Float64Array(Math.max(1, this.#names.length) * width)
    totals.set(before)
    this.sums.forEach((name, column) => {
      if (NO_SUMS[name] !== 0)
        for (let at = before.length + column; at < totals.length; at += width) totals[at] = NO_SUMS[name]
      for (const { groups } of buckets) addSums(name, totals, groups, { column, width: this.#width })
    })
    return totals
  }

  #sumsAt(totals: Float64Array, at: number): Sums {
    const sums: Record<keyof Sums, number> = { ...NO_SUMS }
    this.sums.forEach((name, column) => (sums[name] = totals[at + column] as number))
    return sums
  }

  /** Of each group. */
  #samplesOf(totals: Float64Array): Float64Array {
    const width = this.sums.length
    const samples = new Float64Array(totals.length / width)
    for (let group = 0; group < samples.length; group++) samples[group] = totals[group * width] as number
    return samples
  }

  /** Where the stretch of each group begins. */
  #stretches({ groups }: Bucket): readonly number[] {
    return Array.from({ length: groups.length / this.#width }, (_, at) => at * this.#width)
  }

  #partsAt({ groups, numbers }: Bucket, at: number): Part[] {
    const from = at === 0 ? 0 : (groups[at - 1] as number)
    return numbers === null ? [] : [{ numbers, from, until: groups[at + this.#width - 1] as number }]
  }

  /** The numbers of each of the groups. */
  #partsOf(buckets: readonly Bucket[], groups: readonly number[]): readonly (readonly Part[])[] {
    const placeOf = new Int32Array(this.#names.length).fill(-1)
    groups.forEach((group, at) => (placeOf[group] = at))
    const parts = groups.map((): Part[] => [])
    for (const bucket of buckets) {
      for (let at = 0; at < bucket.groups.length; at += this.#width) {
        const place = placeOf[bucket.groups[at] as number] as number
        if (place !== -1) parts[place]?.push(...this.#partsAt(bucket, at))
      }
    }
    return parts
  }

  /** A bucket of these groups with the numbers of each. */
  #withNumbers(groups: Float64Array, parts: readonly (readonly Part[])[]): Bucket {
    const { numbers, ends } = joinNumbers(parts, this.#isRounded)
    ends.forEach((end, at) => (groups[(at + 1) * this.#width - 1] = end))
    return { groups, numbers }
  }

  #buckets(isOneOf: (place: BucketPlace) => boolean = () => true): readonly Bucket[] {
    return this.#places.filter(isOneOf).map((place) => this.#find(place) as Bucket)
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
    const [totals, width] = [this.#join(parts), this.sums.length]
    const present = [...this.#names.keys()].filter((group) => totals[group * width] !== 0)
    const joined = present.map((group) => [group, ...totals.subarray(group * width, (group + 1) * width), 0])
    if (joined.length === 0) return EMPTY
    const groups = Float64Array.from(joined.flat())
    if (!this.hasNumbers || parts.some(({ numbers }) => numbers === null)) return { groups, numbers: null }
    return this.#withNumbers(groups, this.#partsOf(parts, present))
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  /** Numbers the groups anew if most of them have left. */
  #forgetNames(buckets: readonly Bucket[]): void {
    if (this.#totals === null) return
    if (this.#names.length <= MOST_UNUSED_NAMES) return
    const used = this.#samplesOf(this.#totals).filter((samples) => samples !== 0).length
    if (this.#names.length <= 2 * used + MOST_UNUSED_NAMES) return
    const names = this.#names
    this.#names = []
    this.#long = []
    this.#ofLong = new Float64Array(0)
    this.#numbers.clear()
    for (const { groups } of buckets) {
      for (let at = 0; at < groups.length; at += this.#width)
        groups[at] = this.#numberOf(names[groups[at] as number] as string)
    }
  }
}

function sumOf(numbers: Float64Array): number {
  let sum = 0
  for (let at = 0; at < numbers.length; at++) sum += numbers[at] as number
  return sum
}
