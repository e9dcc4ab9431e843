import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/client/api-error.ts'

/** A restarting service is away for a few seconds. Other errors are not retried. */
const TRIES = 6

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < TRIES && error instanceof ApiError && (error.status === 0 || error.status === 503),
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
    },
  },
})
