/** Pseudorandom numbers, the same for the same seed on every machine, so that a finding can be reproduced. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** In [0, below). */
  below(below: number): number
  pick<T>(values: readonly T[]): T
  chance(probability: number): boolean
  /** Of [a-z0-9]. */
  word(length: number): string
}

/** mulberry32: 32 bits of state are enough to choose test cases. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick(values) {
      if (values.length === 0) throw new RangeError('nothing to pick from')
      return values[below(values.length)] as (typeof values)[number]
    },
    chance: (probability) => next() < probability,
    word: (length) => Array.from({ length }, () => below(36).toString(36)).join(''),
  }
}
