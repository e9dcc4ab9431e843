import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { unauthorized } from '../../projects/authenticate.ts'
import { noSuchProject } from '../../ports/access/no-such-project.ts'
import { newSessionToken } from '../../ports/access/session.ts'
import type { SignInRequest } from '../../projects/sign-in.ts'
import type { SwitchProjectRequest } from '../../projects/switch-project.ts'
import type { Authenticator, Principal, ProjectUseCases, Session, SessionUseCases } from '../connections/ports.ts'

const LIFETIME_MS = 3_600_000

/** For tests: keys whose secrets are names, and their sessions. Deleting a key deletes its sessions. */
export class MemoryCredentials implements Authenticator, SessionUseCases {
  readonly keys: Map<string, Principal>
  readonly sessions = new Map<
    string,
    Omit<Session, keyof Principal> & { readonly secret: string; readonly movedTo?: Pick<Principal, 'projectId'> }
  >()
  /** Secrets of keys by one-time sign-in token. */
  readonly signInTokens = new Map<string, string>()
  readonly #now: () => number
  readonly #projects: Pick<ProjectUseCases, 'find'>

  constructor(keys: Map<string, Principal>, now: () => number, projects: Pick<ProjectUseCases, 'find'>) {
    this.keys = keys
    this.#now = now
    this.#projects = projects
  }

  async authenticate(secret: string | undefined): Promise<Principal> {
    const known = this.keys.get(secret ?? '')
    if (known === undefined) throw unauthorized()
    return known
  }

  async authenticateSession(token: string, project: string | null = null): Promise<Session> {
    const found = this.sessions.get(token)
    if (found === undefined || found.expiresAt <= this.#now()) throw unauthorized()
    const { secret, movedTo, createdAt, expiresAt } = found
    const principal = await this.authenticate(secret)
    const session = { ...principal, ...movedTo, createdAt, expiresAt }
    if (project === null || project === session.projectId) return session
    const isAllowed = principal.scopes.has('admin') || project === principal.projectId
    const other = isAllowed ? await this.#projects.find(project as ProjectId) : undefined
    if (other === undefined) throw noSuchProject()
    return { ...session, projectId: other.id }
  }

  async signIn(request: SignInRequest) {
    const { replacedToken } = request
    const secret = 'secret' in request ? request.secret : (this.signInTokens.get(request.signInToken) ?? '')
    if ('signInToken' in request) this.signInTokens.delete(request.signInToken)
    await this.authenticate(secret)
    const token = newSessionToken(systemRandomBytes)
    const createdAt = this.#now()
    this.sessions.set(token, { secret, createdAt, expiresAt: createdAt + LIFETIME_MS })
    if (replacedToken !== null) this.sessions.delete(replacedToken)
    return { token, session: await this.authenticateSession(token) }
  }

  async switchProject({ token, projectId }: SwitchProjectRequest): Promise<Session> {
    if ((await this.#projects.find(projectId)) === undefined) throw new DomainError('not_found', 'No such project.')
    const found = this.sessions.get(token)
    if (found !== undefined) this.sessions.set(token, { ...found, movedTo: { projectId } })
    return this.authenticateSession(token)
  }

  async signOut(token: string): Promise<void> {
    this.sessions.delete(token)
  }
}
