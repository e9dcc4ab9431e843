import type { SenderList } from '@spoor/contract/schemas/sender'
import { queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

/** What a sender lacks changes when somebody changes the sender. */
const FRESH_MS = 5 * 60_000

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  staleTime: FRESH_MS,
  queryFn: ({ signal }) => request<SenderList>('/v1/senders', { signal }),
})
