import type { ProjectId } from '@spoor/contract/ids'
import { SAFE_METHODS } from '@spoor/contract/operations/operation'
import type { Scope } from '@spoor/contract/scopes'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { requireOwnOrigin } from './own-origin.ts'
import type { Authenticator, Principal, Session } from '../connections/ports.ts'
import { sessionToken } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    /** What `principal` came by, when it was no key. */
    session: Session | null
  }
}

/** What a request asks to be let in by. */
export type Credential =
  { readonly kind: 'key'; readonly secret: string | undefined } | { readonly kind: 'session'; readonly token: string }

/**
 * A key in a header, even a wrong one, goes before a session: a client that sends one means it. Throws `bad_request`
 * when there are two keys.
 */
export function credentialOf({ headers }: Pick<FastifyRequest, 'headers'>): Credential {
  const secret = sentKey(headers)
  const token = secret === undefined ? sessionToken(headers) : undefined
  if (token !== undefined) return { kind: 'session', token }
  return { kind: 'key', secret }
}

/** The scheme, and all that follows it. */
const BEARER = /^bearer(?:\s+(.*))?$/i

/** The key of `x-api-key` or of `Authorization: Bearer`. Other schemes of that header belong to a proxy in front. */
function sentKey({ 'x-api-key': apiKey, authorization }: FastifyRequest['headers']): string | undefined {
  const secret = typeof apiKey === 'string' ? apiKey : undefined
  const bearer = BEARER.exec(authorization ?? '')
  if (bearer === null) return secret
  const token = bearer[1]?.trim() ?? ''
  if (secret !== undefined && secret !== token) {
    throw new DomainError('bad_request', 'x-api-key and Authorization: Bearer carry different keys. Send one of them.')
  }
  return token
}

/**
 * Sets `request.principal`, before any body is read. Every refused key or session gets the same answer. `scopes`
 * empty: any live one will do.
 */
export async function authenticate(
  request: FastifyRequest,
  authenticator: Authenticator,
  scopes: readonly Scope[],
): Promise<void> {
  const credential = credentialOf(request)
  if (credential.kind === 'session') {
    // A browser sends the cookie whoever wrote the page.
    if (!SAFE_METHODS.has(request.method)) requireOwnOrigin(request.headers)
    request.session = await authenticator.authenticateSession(credential.token)
  }
  const principal = credential.kind === 'key' ? await authenticator.authenticate(credential.secret) : request.session
  if (scopes.length > 0 && !scopes.some((scope) => principal?.scopes.has(scope))) {
    throw new DomainError('insufficient_scope', `This needs a key with the scope ${scopes.join(' or ')}.`)
  }
  request.principal = principal
}

/** Whether what let a request into a project still does. Rejects when that cannot be told now. */
export async function isStillLetIn(
  authenticator: Authenticator,
  credential: Credential,
  projectId: ProjectId,
): Promise<boolean> {
  try {
    const principal =
      credential.kind === 'session'
        ? await authenticator.authenticateSession(credential.token)
        : await authenticator.authenticate(credential.secret)
    return principal.projectId === projectId
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unauthorized') return false
    throw error
  }
}

/**
 * Whether the sender manages webhooks, and so sees what `shownUrl` and `shownAttempt` (wire/webhook-secrecy.ts) hide.
 */
export function seesWebhookSecrets({ scopes }: Principal): boolean {
  return scopes.has('manage')
}
