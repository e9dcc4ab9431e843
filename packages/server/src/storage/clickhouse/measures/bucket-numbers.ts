/**
 * The numbers of a bucket, whole and not negative, for percentiles: all of them, in no order, or how many share each
 * rounded number, by ascending places.
 */
export type BucketNumbers = Float64Array | RoundedNumbers

interface RoundedNumbers {
  readonly places: Uint16Array
  readonly counts: Uint32Array
}

/**
 * Numbers with the same leading 8 bits after the first share a place, so that a rounded number is off by at most 0.2 %
 * of itself, and none below 512 is. `quantiles` of the engine, a sample beyond 8,192 numbers, is off by more.
 */
const BITS = 8
/** The place of 1 has number 1: the exponent of a double is 1023 there. */
const BEFORE_ONE = (1023 << BITS) - 1
/** Up to 2^63. */
const PLACES = (64 << BITS) + 1

/** An SQL expression for the place of a Float64. */
export function placeExpression(number: string): string {
  return `toUInt16(greatest(toInt64(bitShiftRight(reinterpretAsUInt64(${number}), ${52 - BITS})) - ${BEFORE_ONE}, 0))`
}

const double = new DataView(new ArrayBuffer(8))

function placeOf(number: number): number {
  double.setFloat64(0, number)
  return Math.max(0, (double.getUint32(0) >>> (20 - BITS)) - BEFORE_ONE)
}

/** The middle of the whole numbers of a place. */
function numberAt(place: number): number {
  if (place === 0) return 0
  double.setUint32(0, (place + BEFORE_ONE) << (20 - BITS))
  double.setUint32(4, 0)
  const least = double.getFloat64(0)
  const width = 2 ** (Math.floor(Math.log2(least)) - BITS)
  return width <= 1 ? least : least + (width - 1) / 2
}

export function sizeOf(numbers: BucketNumbers): number {
  return numbers instanceof Float64Array ? numbers.length : numbers.places.length
}

/** Some of the numbers of a bucket, such as those of one group. */
export interface Part {
  readonly numbers: BucketNumbers
  readonly from: number
  readonly until: number
}

/**
 * The numbers of each group, one group after the other, and where those of each end. `asRounded`: the numbers of the
 * result are rounded; MUST be set if any of them is.
 */
export function joinNumbers(
  groups: readonly (readonly Part[])[],
  asRounded: boolean,
): { readonly numbers: BucketNumbers; readonly ends: readonly number[] } {
  let end = 0
  const joined = asRounded ? groups.map(joinRounded) : groups.map(joinExact)
  const ends = joined.map((numbers) => (end += sizeOf(numbers)))
  if (!asRounded) return { numbers: joinExact((joined as Float64Array[]).map(allOf)), ends }
  const all: RoundedNumbers = { places: new Uint16Array(end), counts: new Uint32Array(end) }
  for (const [at, { places, counts }] of (joined as RoundedNumbers[]).entries()) {
    all.places.set(places, at === 0 ? 0 : ends[at - 1])
    all.counts.set(counts, at === 0 ? 0 : ends[at - 1])
  }
  return { numbers: all, ends }
}

export function allOf(numbers: BucketNumbers): Part {
  return { numbers, from: 0, until: sizeOf(numbers) }
}

function joinExact(parts: readonly Part[]): Float64Array {
  const all = new Float64Array(parts.reduce((size, { from, until }) => size + until - from, 0))
  let end = 0
  for (const { numbers, from, until } of parts) {
    all.set((numbers as Float64Array).subarray(from, until), end)
    end += until - from
  }
  return all
}

function joinRounded(parts: readonly Part[]): RoundedNumbers {
  return withPlaces(parts, ({ counted, least, greatest }) => {
    const places: number[] = []
    for (let place = least; place <= greatest; place++) if (counted[place] !== 0) places.push(place)
    return { places: Uint16Array.from(places), counts: Uint32Array.from(places, (place) => counted[place] as number) }
  })
}

interface CountedPlaces {
  /** How many numbers each place has. */
  readonly counted: Float64Array
  /** No place outside of these has any. */
  readonly least: number
  readonly greatest: number
}

/** Zero between two uses, which is faster than a new one each time. */
const PLACES_IN_USE = new Float64Array(PLACES)

/** `read` MUST NOT keep the counted places. */
function withPlaces<Result>(parts: readonly Part[], read: (places: CountedPlaces) => Result): Result {
  const counted = PLACES_IN_USE
  let [least, greatest] = [PLACES, 0]
  for (const { numbers, from, until } of parts) {
    const isExact = numbers instanceof Float64Array
    for (let at = from; at < until; at++) {
      const place = isExact ? placeOf(numbers[at] as number) : (numbers.places[at] as number)
      counted[place] = (counted[place] as number) + (isExact ? 1 : (numbers.counts[at] as number))
      if (place < least) least = place
      if (place > greatest) greatest = place
    }
  }
  const result = read({ counted, least, greatest })
  counted.fill(0, least, greatest + 1)
  return result
}

/** Interpolated linearly between the neighbours of rank `share * (size - 1)`, counted from 0; null of no numbers. */
export function quantileOf(parts: readonly Part[], asRounded: boolean, share: number): number | null {
  return asRounded
    ? withPlaces(parts, (places) => valueAt(ranksOfPlaces(places), share))
    : valueAt(ranksOf(joinExact(parts)), share)
}

function valueAt(atRank: Ranks, share: number): number | null {
  if (atRank.size === 0) return null
  const rank = share * (atRank.size - 1)
  const [below, weight] = [atRank.find(Math.floor(rank)), rank - Math.floor(rank)]
  return weight === 0 ? below : below * (1 - weight) + atRank.find(Math.ceil(rank)) * weight
}

interface Ranks {
  readonly size: number
  readonly find: (rank: number) => number
}

function ranksOf(numbers: Float64Array): Ranks {
  numbers.sort()
  return { size: numbers.length, find: (rank) => numbers[rank] as number }
}

function ranksOfPlaces({ counted, least, greatest }: CountedPlaces): Ranks {
  const find = (rank: number) => {
    let [place, before] = [least, counted[least] as number]
    while (before <= rank) before += counted[++place] as number
    return numberAt(place)
  }
  let size = 0
  for (let place = least; place <= greatest; place++) size += counted[place] as number
  return { size, find }
}
