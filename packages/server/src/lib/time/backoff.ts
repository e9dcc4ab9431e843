export interface Backoff {
  /** The longest delay after the first failure. */
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * The delay after `attempt` failures (from 1): a random part, at least half, of a delay that doubles with each failure,
 * so that clients that failed at the same time do not retry at the same time.
 *
 * @param random in [0, 1)
 */
export function backoffDelayMs({ firstMs, maxMs }: Backoff, attempt: number, random: number): number {
  const longest = Math.min(maxMs, firstMs * 2 ** (attempt - 1))
  return longest / 2 + (longest / 2) * random
}
