import type { Scope } from '@spoor/contract/scopes'
import type { Session } from '@spoor/contract/schemas/session'
import { useRouteContext } from '@tanstack/react-router'

export function useSession(): Session {
  return useRouteContext({ from: '__root__' }).session
}

/** Whether the session has one of these scopes. */
export function useMay(...scopes: readonly Scope[]): boolean {
  const session = useSession()
  return scopes.some((scope) => session.scopes.includes(scope))
}
