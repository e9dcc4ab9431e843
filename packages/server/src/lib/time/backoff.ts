export interface Backoff {
  /** Longest wait after the first failure. */
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * How long to wait before try `attempt` + 1, `attempt` failures (from 1) lying behind: a random part, at least half, of a wait that doubles, so that
 * clients that failed together do not come back together.
 *
 * @param random in [0, 1)
 */
export function backoffDelayMs({ firstMs, maxMs }: Backoff, attempt: number, random: number): number {
  const longest = Math.min(maxMs, firstMs * 2 ** (attempt - 1))
  return longest / 2 + (longest / 2) * random
}
