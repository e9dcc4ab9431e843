import type { KeyId, ProjectId } from '@spoor/contract/ids'
import { SCOPES, type Scope } from '@spoor/contract/scopes'
import { DomainError } from '../../lib/domain-error.ts'
import type { KeyLimits } from './key-store.ts'

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** Who sent a request: a key that was good at the time. */
export interface Principal {
  readonly keyId: KeyId
  readonly projectId: ProjectId
  readonly scopes: ReadonlySet<Scope>
  /** When the key stops by itself, milliseconds; null: never. */
  readonly keyExpiresAt: number | null
  readonly keyLimits: KeyLimits
}

/** Throws DomainError `insufficient_scope`. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.has(scope)) {
    throw new DomainError('insufficient_scope', `This needs a key with the scope "${scope}".`)
  }
}

/**
 * Who may see, make and revoke the keys of a project: its own keys with `manage`, and any with `admin`. Throws
 * DomainError `not_found` to everyone else's keys, whatever their scopes (a project's existence does not leak), and
 * `insufficient_scope` to the project's own without `manage`.
 */
export function requireKeyManagement(principal: Principal, projectId: ProjectId): void {
  if (principal.scopes.has('admin')) return
  if (principal.projectId !== projectId) throw new DomainError('not_found', 'There is no such project.')
  requireScope(principal, 'manage')
}
