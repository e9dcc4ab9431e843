import type { SenderList } from '@spoor/contract/schemas/sender'
import { readQuery } from './client/queries.ts'

/** What a sender lacks changes when somebody changes the sender. */
const FRESH_MS = 5 * 60_000

export const sendersQuery = { ...readQuery<SenderList>(['senders'], '/v1/senders'), staleTime: FRESH_MS }
