import type { Health } from '@spoor/contract/schemas/health'
import type { Settings } from '@spoor/contract/schemas/settings'
import { readQuery } from './client/queries.ts'

/** Settings of all projects. */
export const settingsQuery = { ...readQuery<Settings>(['settings'], '/v1/settings'), staleTime: 60_000 }

export const healthQuery = { ...readQuery<Health>(['health'], '/healthz'), staleTime: 60_000 }
