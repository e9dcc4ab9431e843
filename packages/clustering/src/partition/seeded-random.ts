/**
 * Numbers in [0, 1), the same for the same seed on every machine: a Weyl sequence through the finaliser of MurmurHash3,
 * with a period of 2^32. For repeatable choices, never for secrets.
 */
export function createRandom(seed: number): () => number {
  let state = Math.imul(seed | 0, 0x85ebca6b)
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x85ebca6b)
    mixed ^= mixed >>> 13
    mixed = Math.imul(mixed, 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}

/**
 * Draws `count` of the numbers below `total`, ascending; each set is equally likely. All of them when `count` is not
 * below `total`.
 */
export function sampleIndexes(total: number, count: number, random: () => number): Uint32Array {
  if (count >= total) return Uint32Array.from({ length: total }, (_, index) => index)
  const sample = new Uint32Array(count)
  let taken = 0
  for (let index = 0; taken < count; index++) {
    if (random() * (total - index) < count - taken) sample[taken++] = index
  }
  return sample
}

/** At most `most` of the numbers below `total`, evenly spread. */
export function evenSample(total: number, most: number): Uint32Array {
  const count = Math.min(total, most)
  return Uint32Array.from({ length: count }, (_, index) => Math.floor((index * total) / count))
}

/** Draws an index with a probability in proportion to its weight; -1 when all are 0. */
export function drawIndex(weights: Float64Array, random: () => number): number {
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0)
  let last = -1
  for (let index = 0; index < weights.length; index++) {
    if (weights[index] === 0) continue
    last = index
    rest -= weights[index]!
    if (rest < 0) break
  }
  return last
}
