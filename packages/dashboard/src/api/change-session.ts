import type { Session } from '@spoor/contract/schemas/session'
import type { QueryClient } from '@tanstack/react-query'
import { sessionQuery } from './client/session.ts'

/**
 * Goes on as somebody else, or as nobody (null); nothing of before is to be seen again. The query of the session itself
 * stays: it is being watched, and who watches one that is removed is never told of the next.
 */
export function changeSession(queryClient: QueryClient, session: Session | null): void {
  queryClient.setQueryData(sessionQuery.queryKey, session)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
}
