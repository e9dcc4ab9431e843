import type { ProjectId } from '@spoor/contract/ids'
import { SAFE_METHODS } from '@spoor/contract/operations/operation'
import type { Scope } from '@spoor/contract/scopes'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { requireOwnOrigin } from './own-origin.ts'
import type { Authenticator, Principal, Session } from '../connections/ports.ts'
import { noSuchProject } from '../../ports/access/no-such-project.ts'
import { projectInPath } from './project-in-path.ts'
import { sessionToken } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The key may be the password of Basic, as on routes of exports. */
    takesBasicKey?: boolean
  }
  interface FastifyRequest {
    principal: Principal | null
    /** The session of `principal`; null for a key. */
    session: Session | null
  }
}

/** The credential of a request, and the project that its path names (null: none). */
export type Credential = { readonly project: string | null } & (
  { readonly kind: 'key'; readonly secret: string | undefined } | { readonly kind: 'session'; readonly token: string }
)

/**
 * A key in a header, even a wrong one, takes precedence over a session, because a client sends it on purpose. Throws
 * `bad_request` if there are two different keys.
 */
export function credentialOf({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): Credential {
  const secret = sentKey(headers)
  const token = secret === undefined ? sessionToken(headers) : undefined
  const project = projectInPath(raw)
  if (token !== undefined) return { kind: 'session', token, project }
  return { kind: 'key', secret, project }
}

/** The scheme and everything after it. */
const BEARER = /^bearer(?:\s+(.*))?$/i

/** The user is the public key of Langfuse, or anything. */
const BASIC = /^basic\s+(.*)$/i

/**
 * The key in `Authorization`, for exports of OpenTelemetry: the password of Basic, or its user if there is none, or the
 * whole header, because some SDKs can send a key in no other way. If there is a key in another header, it belongs to a
 * proxy in front.
 */
function exportKey({ authorization = '' }: FastifyRequest['headers']): string | undefined {
  const sent = BASIC.exec(authorization)?.[1]
  if (sent === undefined) return /^\S+$/.test(authorization) ? authorization : undefined
  const [user, ...password] = Buffer.from(sent.trim(), 'base64').toString('utf8').split(':')
  return password.join(':') || user
}

/** The key of `x-api-key` or of `Authorization: Bearer`. Other schemes of that header belong to a proxy in front. */
function sentKey({ 'x-api-key': apiKey, authorization }: FastifyRequest['headers']): string | undefined {
  const secret = typeof apiKey === 'string' ? apiKey : undefined
  const bearer = BEARER.exec(authorization ?? '')
  if (bearer === null) return secret
  const token = bearer[1]?.trim() ?? ''
  if (secret !== undefined && secret !== token) {
    throw new DomainError(
      'bad_request',
      'x-api-key and Authorization: Bearer have different keys. Send only one of them.',
    )
  }
  return token
}

/**
 * Sets `request.principal`, before any body is read. Every refused key or session gets the same answer. `scopes` empty:
 * any valid key or session is accepted.
 */
export async function authenticate(
  request: FastifyRequest,
  authenticator: Authenticator,
  scopes: readonly Scope[],
): Promise<void> {
  const sent = credentialOf(request)
  const { otlp, takesBasicKey } = request.routeOptions.config
  const mayBeBasic = (otlp !== undefined || takesBasicKey === true) && sent.kind === 'key'
  const ofExport = mayBeBasic ? exportKey(request.headers) : undefined
  const credential: Credential = sent.kind === 'key' && sent.secret === undefined ? { ...sent, secret: ofExport } : sent
  if (credential.kind === 'session') {
    // A browser sends the cookie with requests of any page.
    if (!SAFE_METHODS.has(request.method)) requireOwnOrigin(request.headers)
    request.session = await authenticator.authenticateSession(credential.token, credential.project)
  }
  const principal = credential.kind === 'key' ? await principalOfKey(authenticator, credential) : request.session
  request.principal = principal
  requireScope(principal, scopes)
}

/** A key belongs to one project: naming another is answered like naming one that does not exist. */
async function principalOfKey(
  authenticator: Authenticator,
  { secret, project }: Extract<Credential, { readonly kind: 'key' }>,
): Promise<Principal> {
  const principal = await authenticator.authenticate(secret)
  if (project !== null && project !== principal.projectId) throw noSuchProject()
  return principal
}

/**
 * The sender of an export over gRPC. Its metadata has the same names as headers of HTTP; it cannot have a session.
 * `onKnown` is called before its scope is checked.
 */
export async function authenticateExport(
  headers: FastifyRequest['headers'],
  authenticator: Authenticator,
  onKnown: (principal: Principal) => void,
): Promise<Principal> {
  const principal = await authenticator.authenticate(sentKey(headers) ?? exportKey(headers))
  onKnown(principal)
  requireScope(principal, ['ingest'])
  return principal
}

function requireScope(principal: Principal | null, scopes: readonly Scope[]): void {
  if (scopes.length === 0 || scopes.some((scope) => principal?.scopes.has(scope))) return
  throw new DomainError('insufficient_scope', `The key needs the scope ${scopes.join(' or ')}.`)
}

/** Whether the credential is still valid for the project. Rejects if that cannot be looked up. */
export async function isStillAuthorized(
  authenticator: Authenticator,
  credential: Credential,
  projectId: ProjectId,
): Promise<boolean> {
  try {
    const principal =
      credential.kind === 'session'
        ? await authenticator.authenticateSession(credential.token, credential.project)
        : await principalOfKey(authenticator, credential)
    return principal.projectId === projectId
  } catch (error) {
    if (error instanceof DomainError && (error.code === 'unauthorized' || error.code === 'not_found')) return false
    throw error
  }
}

/**
 * Whether the sender may manage webhooks, and so may see what `shownUrl` and `shownAttempt` (wire/webhook-secrecy.ts)
 * hide.
 */
export function seesWebhookSecrets({ scopes }: Principal): boolean {
  return scopes.has('manage')
}
