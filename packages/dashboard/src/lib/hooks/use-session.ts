import type { Scope } from '@spoor/contract/scopes'
import type { Session } from '@spoor/contract/schemas/session'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { sessionQuery } from '../../api/client/session.ts'

/** Who is signed in, and to which project, now: the context of the routes is of when they were matched. */
export function useSession(): Session {
  const matched = useRouteContext({ from: '__root__' }).session
  // Nobody for as long as it takes to leave the screen.
  return useSuspenseQuery(sessionQuery).data ?? matched
}

/** Whether the session has one of these scopes. */
export function useMay(...scopes: readonly Scope[]): boolean {
  const session = useSession()
  return scopes.some((scope) => session.scopes.includes(scope))
}
