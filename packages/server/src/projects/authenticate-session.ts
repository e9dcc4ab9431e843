import type { Clock } from '../lib/time/clock.ts'
import { isLive, toPrincipal, unauthorized } from './authenticate.ts'
import { hashSecret } from './key-format.ts'
import { isWellFormedToken, type Session } from '../ports/access/session.ts'
import type { SessionStore } from '../ports/access/session-store.ts'

/**
 * The session of a token. It is checked with its key at every use: a session of a revoked or expired key opens nothing.
 * Malformed, unknown and ended ones all fail as a wrong key does, with DomainError `unauthorized`.
 */
export async function authenticateSession(
  { sessions, clock }: { readonly sessions: Pick<SessionStore, 'find'>; readonly clock: Clock },
  token: string,
): Promise<Session> {
  if (!isWellFormedToken(token)) throw unauthorized()
  const found = await sessions.find(hashSecret(token))
  const now = clock.now()
  if (found === undefined || found.session.expiresAt <= now || !isLive(found.key, now)) throw unauthorized()
  const { projectId, createdAt, expiresAt } = found.session
  return { ...toPrincipal(found.key), ...(projectId === null ? {} : { projectId }), createdAt, expiresAt }
}
