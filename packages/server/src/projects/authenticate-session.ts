import { isId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { isLive, toPrincipal, unauthorized } from './authenticate.ts'
import { hashSecret } from './key-format.ts'
import { isWellFormedToken, type Session } from '../ports/access/session.ts'
import { noSuchProject } from '../ports/access/no-such-project.ts'
import type { ProjectStore } from '../ports/access/project-store.ts'
import type { SessionStore } from '../ports/access/session-store.ts'

interface AuthenticateSessionDependencies {
  readonly sessions: Pick<SessionStore, 'find'>
  readonly projects: Pick<ProjectStore, 'find'>
  readonly clock: Clock
}

/**
 * The session of a token. It is checked with its key at every use: a session of a revoked or expired key opens nothing.
 * Malformed, unknown and ended ones all fail as a wrong key does, with DomainError `unauthorized`. Null for `project`:
 * the project that the session is in. Any other than that and that of the key needs scope `admin`, and one that does
 * not exist or may not be used is DomainError `not_found`.
 */
export async function authenticateSession(
  { sessions, projects, clock }: AuthenticateSessionDependencies,
  token: string,
  project: string | null,
): Promise<Session> {
  if (!isWellFormedToken(token)) throw unauthorized()
  const found = await sessions.find(hashSecret(token))
  const now = clock.now()
  if (found === undefined || found.session.expiresAt <= now || !isLive(found.key, now)) throw unauthorized()
  const { projectId, createdAt, expiresAt } = found.session
  const session = { ...toPrincipal(found.key), ...(projectId === null ? {} : { projectId }), createdAt, expiresAt }
  if (project === null || project === session.projectId) return session
  if (project === found.key.projectId) return { ...session, projectId: found.key.projectId }
  const other = session.scopes.has('admin') && isId('proj', project) ? await projects.find(project) : undefined
  if (other === undefined) throw noSuchProject()
  return { ...session, projectId: other.id }
}
