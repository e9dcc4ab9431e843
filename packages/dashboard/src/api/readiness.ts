import type { Readiness, ReadinessCheck } from '@spoor/contract/schemas/health'
import { queryOptions } from '@tanstack/react-query'

const POLL_EVERY_MS = 30_000

/** What is damaged on the disk of the service, as its readiness says; null when nothing is, or when it does not say. */
export const damageQuery = queryOptions({
  queryKey: ['damage'],
  refetchInterval: POLL_EVERY_MS,
  retry: false,
  queryFn: async ({ signal }): Promise<ReadinessCheck | null> => {
    // A service that is not ready answers 503, with the same body.
    const response = await fetch('/readyz', { signal })
    const { checks } = (await response.json()) as Readiness
    const data = checks.find(({ name }) => name === 'data')
    return data === undefined || data.detail === null ? null : data
  },
})
