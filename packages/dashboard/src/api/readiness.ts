import type { Readiness, ReadinessCheck } from '@spoor/contract/schemas/health'
import { queryOptions } from '@tanstack/react-query'

const POLL_EVERY_MS = 30_000

/**
 * Whether the service answers requests. `/readyz` does not fit, because it fails on a full disk, when reads still work.
 * A starting service answers 503, and so does a proxy in front of it.
 */
export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/v1/session', { cache: 'no-store' })).status < 500
  } catch {
    return false
  }
}

/**
 * Damaged data on the disk of the service, as its readiness reports; null if there is none, or if it reports nothing.
 */
export const damageQuery = queryOptions({
  queryKey: ['damage'],
  refetchInterval: POLL_EVERY_MS,
  retry: false,
  queryFn: async ({ signal }): Promise<ReadinessCheck | null> => {
    // A service that is not ready answers 503 with the same body.
    const response = await fetch('/readyz', { signal })
    const { checks } = (await response.json()) as Readiness
    const data = checks.find(({ name }) => name === 'data')
    return data === undefined || data.detail === null ? null : data
  },
})
