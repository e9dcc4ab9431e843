/** How many of how many. */
export interface Share {
  readonly hits: number
  readonly total: number
}

/**
 * The z statistic of the pooled test of two proportions: how many standard errors the second share is above the first,
 * negative when below. 0 when there is nothing to compare: an empty side, or all or none on both.
 */
export function shareDifferenceZ(first: Share, second: Share): number {
  if (first.total === 0 || second.total === 0) return 0
  const pooled = (first.hits + second.hits) / (first.total + second.total)
  const variance = pooled * (1 - pooled) * (1 / first.total + 1 / second.total)
  if (!(variance > 0)) return 0
  return (second.hits / second.total - first.hits / first.total) / Math.sqrt(variance)
}
