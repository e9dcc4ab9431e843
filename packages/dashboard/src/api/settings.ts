import type { Health } from '@spoor/contract/schemas/health'
import type { Settings } from '@spoor/contract/schemas/settings'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './client/api-error.ts'
import { request } from './client/request.ts'

/** Settings of all projects; null if the service is too old to report them. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Settings | null> => {
    try {
      return await request<Settings>('/v1/settings', { signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  },
})

export const healthQuery = queryOptions({
  queryKey: ['health'],
  staleTime: 60_000,
  queryFn: ({ signal }) => request<Health>('/healthz', { signal }),
})
