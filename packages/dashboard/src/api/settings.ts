import type { Health } from '@spoor/contract/schemas/health'
import type { Settings } from '@spoor/contract/schemas/settings'
import type { SenderList } from '@spoor/contract/schemas/sender'
import { readQuery } from './client/queries.ts'

export const settingsQuery = { ...readQuery<Settings>(['settings'], '/v1/settings'), staleTime: 60_000 }

export const healthQuery = { ...readQuery<Health>(['health'], '/healthz'), staleTime: 60_000 }

/** What a sender lacks changes when somebody changes the sender. */
const FRESH_MS = 5 * 60_000

export const sendersQuery = { ...readQuery<SenderList>(['senders'], '/v1/senders'), staleTime: FRESH_MS }
