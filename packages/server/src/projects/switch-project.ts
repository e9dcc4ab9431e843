import type { ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { authenticateSession } from './authenticate-session.ts'
import { hashSecret } from './key-format.ts'
import type { ProjectStore } from '../ports/access/project-store.ts'
import type { Session } from '../ports/access/session.ts'
import type { SessionStore } from '../ports/access/session-store.ts'

export interface SwitchProjectRequest {
  /** Of the session. */
  readonly token: string
  readonly projectId: ProjectId
}

/**
 * Moves a session to another project, durably, with the scopes of its key, which stays in its own project. The caller
 * has checked that `admin` is among them. Throws DomainError `not_found` for a project that does not exist, and
 * `unauthorized` for a session that has ended meanwhile.
 */
export async function switchProject(
  dependencies: {
    readonly projects: Pick<ProjectStore, 'find'>
    readonly sessions: Pick<SessionStore, 'find' | 'moveTo'>
    readonly clock: Clock
  },
  { token, projectId }: SwitchProjectRequest,
): Promise<Session> {
  const { projects, sessions } = dependencies
  if ((await projects.find(projectId)) === undefined) throw new DomainError('not_found', 'There is no such project.')
  await sessions.moveTo(hashSecret(token), projectId)
  return authenticateSession(dependencies, token, null)
}
