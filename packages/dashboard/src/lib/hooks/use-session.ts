import type { Scope } from '@spoor/contract/scopes'
import type { Session } from '@spoor/contract/schemas/session'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { sessionQuery } from '../../api/client/session.ts'

/** The current session. The route context holds the one of the time when the route was matched. */
export function useSession(): Session {
  const matched = useRouteContext({ from: '__root__' }).session
  // Null for a moment while the screen is left.
  return useSuspenseQuery(sessionQuery).data ?? matched
}

export function useMay(...scopes: readonly Scope[]): boolean {
  const session = useSession()
  return scopes.some((scope) => session.scopes.includes(scope))
}
