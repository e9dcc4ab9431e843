import type { Health } from '@spoor/contract/schemas/health'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { request } from './request.ts'

/** What the operator set, as far as users meet it; names are the service's own. */
export interface ServiceSettings {
  readonly version: string
  readonly limits: Readonly<Record<string, number>>
  readonly retention: Readonly<Record<string, number | null>>
  readonly features: Readonly<Record<string, unknown>>
}

/** Null when the service does not tell. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<ServiceSettings | null> => {
    try {
      return await request<ServiceSettings>('/v1/settings', { signal })
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
