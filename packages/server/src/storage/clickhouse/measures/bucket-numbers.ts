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

/** All numbers of some buckets. `asRounded`: the numbers of the result are rounded; MUST be set if any of them is. */
export function joinNumbers(parts: readonly BucketNumbers[], asRounded: boolean): BucketNumbers {
  return asRounded ? joinRounded(parts) : joinExact(parts as readonly Float64Array[])
}

function joinExact(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((size, { length }) => size + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}

function joinRounded(parts: readonly BucketNumbers[]): RoundedNumbers {
  const counted = countPlaces(parts)
  const places = Uint16Array.from([...counted.keys()].filter((place) => counted[place] !== 0))
  return { places, counts: Uint32Array.from(places, (place) => counted[place] as number) }
}

function countPlaces(parts: readonly BucketNumbers[]): Float64Array {
  const counted = new Float64Array(PLACES)
  const add = (place: number, count: number) => (counted[place] = (counted[place] as number) + count)
  for (const part of parts) {
    if (part instanceof Float64Array) for (const number of part) add(placeOf(number), 1)
    else for (let at = 0; at < part.places.length; at++) add(part.places[at] as number, part.counts[at] as number)
  }
  return counted
}

/** Interpolated linearly between the neighbours of rank `share * (size - 1)`, counted from 0; null of no numbers. */
export function quantileOf(parts: readonly BucketNumbers[], asRounded: boolean, share: number): number | null {
  const atRank = asRounded ? ranksOfPlaces(countPlaces(parts)) : ranksOf(joinExact(parts as readonly Float64Array[]))
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

function ranksOfPlaces(counted: Float64Array): Ranks {
  const find = (rank: number) => {
    let [place, before] = [0, counted[0] as number]
    while (before <= rank) before += counted[++place] as number
    return numberAt(place)
  }
  return { size: counted.reduce((sum, count) => sum + count, 0), find }
}
