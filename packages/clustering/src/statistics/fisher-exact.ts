import type { Share } from './two-proportions.ts'

/**
 * The one-sided p-value of Fisher's exact test: the probability that the first group gets this many hits or more when
 * all hits of both groups are distributed by chance. Exact for groups of any size; the time is in proportion to the
 * hits.
 */
export function fisherGreater(first: Share, second: Share): number {
  const hits = first.hits + second.hits
  const total = first.total + second.total
  const most = Math.min(hits, first.total)
  const least = Math.max(0, hits - second.total)
  if (first.hits <= least) return 1
  // Probabilities relative to that of the mode, computed from neighbour to neighbour: this needs no factorial, and
  // values too small for a double become 0.
  const mode = clamp(Math.floor(((hits + 1) * (first.total + 1)) / (total + 2)), least, most)
  let [below, above] = [0, 0]
  const count = (value: number, weight: number): void => {
    if (value >= first.hits) above += weight
    else below += weight
  }
  count(mode, 1)
  let weight = 1
  for (let value = mode; value < most && weight > 0; value++) {
    weight *= ((hits - value) * (first.total - value)) / ((value + 1) * (second.total - hits + value + 1))
    count(value + 1, weight)
  }
  weight = 1
  for (let value = mode; value > least && weight > 0; value--) {
    weight *= (value * (second.total - hits + value)) / ((hits - value + 1) * (first.total - value + 1))
    count(value - 1, weight)
  }
  return above / (above + below)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
