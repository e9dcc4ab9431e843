import type { QueryClient } from '@tanstack/react-query'
import { earlyRequests } from './client/early-requests.ts'
import { sessionQuery } from './client/session.ts'

/** After signing in: drops all cached data and reads the session, in the project of the address. */
export function beginSession(queryClient: QueryClient): Promise<void> {
  dropData(queryClient)
  return queryClient.resetQueries({ queryKey: sessionQuery.queryKey })
}

/** After signing out: drops all cached data. */
export function endSession(queryClient: QueryClient): void {
  queryClient.setQueryData(sessionQuery.queryKey, null)
  dropData(queryClient)
}

/** The session query stays, because components observe it and a removed query no longer notifies its observers. */
function dropData(queryClient: QueryClient): void {
  earlyRequests.forget()
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
}
