import { type AuditUseCases, createAuditLog, type NewAuditEntry } from '../../audit/audit-log.ts'
import type { Authenticator, KeyUseCases, ProjectUseCases, SessionUseCases } from '../../http/connections/ports.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { authenticate } from '../../projects/authenticate.ts'
import { authenticateSession } from '../../projects/authenticate-session.ts'
import { changeKey } from '../../projects/change-key.ts'
import { changeProject } from '../../projects/change-project.ts'
import { createKey } from '../../projects/create-key.ts'
import { createProject } from '../../projects/create-project.ts'
import { listKeys } from '../../projects/list-keys.ts'
import { listProjects } from '../../projects/list-projects.ts'
import { revokeKey } from '../../projects/revoke-key.ts'
import { signIn } from '../../projects/sign-in.ts'
import type { SignInToken } from '../../projects/sign-in-token.ts'
import { signOut } from '../../projects/sign-out.ts'
import { switchProject } from '../../projects/switch-project.ts'
import type { Environment } from './environment.ts'
import type { ControlStores } from './service-stores.ts'

export function projectUseCases(
  { projects }: ControlStores,
  { clock }: Environment,
  ids: IdGenerator,
): ProjectUseCases {
  return {
    create: (project) => createProject({ projects, clock, ids }, project),
    find: (projectId) => projects.find(projectId),
    change: (change) => changeProject({ projects }, change),
    list: (page) => listProjects({ projects }, page),
  }
}

export function keyUseCases({ projects, keys }: ControlStores, { clock }: Environment, ids: IdGenerator): KeyUseCases {
  return {
    create: (key) => createKey({ projects, keys, clock, ids, randomBytes: systemRandomBytes }, key),
    change: (request) => changeKey({ keys }, request),
    list: (request) => listKeys({ projects, keys }, request),
    revoke: (request) => revokeKey({ keys, clock }, request),
  }
}

export function sessionUseCases(
  { projects, keys, sessions }: ControlStores,
  { config, clock }: Environment,
  signInToken: SignInToken,
): SessionUseCases {
  const { sessionLifetimeMs: lifetimeMs } = config
  const signingIn = { keys, sessions, signInToken, clock, randomBytes: systemRandomBytes, lifetimeMs }
  return {
    signIn: (request) => signIn(signingIn, request),
    switchProject: (request) => switchProject({ projects, sessions, clock }, request),
    signOut: (token) => signOut({ sessions }, token),
  }
}

export function authenticatorOf({ keys, sessions, projects }: ControlStores, { clock }: Environment): Authenticator {
  return {
    authenticate: (secret) => authenticate({ keys, clock }, secret),
    authenticateSession: (token, project) => authenticateSession({ sessions, projects, clock }, token, project),
  }
}

export function auditLogOf({ audit }: ControlStores, { clock, logger }: Environment, ids: IdGenerator): AuditUseCases {
  const onLost = (entry: NewAuditEntry, error: unknown) =>
    logger.error({ error, entry }, 'an entry of the audit log could not be written')
  return createAuditLog({ audit, clock, newId: () => ids.newId('aud'), onLost })
}
