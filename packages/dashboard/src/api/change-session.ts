import type { Session } from '@spoor/contract/schemas/session'
import type { QueryClient } from '@tanstack/react-query'
import { sessionQuery } from './client/session.ts'

/**
 * Switches to another session, or to none (null), and drops all cached data. The session query itself stays, because
 * components observe it and a removed query no longer notifies its observers.
 */
export function changeSession(queryClient: QueryClient, session: Session | null): void {
  queryClient.setQueryData(sessionQuery.queryKey, session)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
}
