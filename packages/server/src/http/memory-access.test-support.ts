import { systemRandomBytes } from '../lib/random.ts'
import { unauthorized } from '../projects/authenticate.ts'
import { newSessionToken } from '../projects/session.ts'
import type { SignInRequest } from '../projects/sign-in.ts'
import type { Authenticator, Principal, Session, SessionUseCases } from './ports.ts'

const LIFETIME_MS = 3_600_000

/** For tests: keys with names for secrets, and their sessions. A key that is deleted takes its sessions along. */
export class MemoryAccess implements Authenticator, SessionUseCases {
  readonly keys: Map<string, Principal>
  readonly sessions = new Map<string, Omit<Session, keyof Principal> & { readonly secret: string }>()
  readonly #now: () => number

  constructor(keys: Map<string, Principal>, now: () => number) {
    this.keys = keys
    this.#now = now
  }

  async authenticate(secret: string | undefined): Promise<Principal> {
    const known = this.keys.get(secret ?? '')
    if (known === undefined) throw unauthorized()
    return known
  }

  async authenticateSession(token: string): Promise<Session> {
    const found = this.sessions.get(token)
    if (found === undefined || found.expiresAt <= this.#now()) throw unauthorized()
    const { secret, createdAt, expiresAt } = found
    return { ...(await this.authenticate(secret)), createdAt, expiresAt }
  }

  async signIn({ secret, replacedToken }: SignInRequest) {
    await this.authenticate(secret)
    const token = newSessionToken(systemRandomBytes)
    const createdAt = this.#now()
    this.sessions.set(token, { secret, createdAt, expiresAt: createdAt + LIFETIME_MS })
    if (replacedToken !== null) this.sessions.delete(replacedToken)
    return { token, session: await this.authenticateSession(token) }
  }

  async signOut(token: string): Promise<void> {
    this.sessions.delete(token)
  }
}
