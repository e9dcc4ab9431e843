import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '../../lib/domain-error.ts'
import { isHost } from './request-origin.ts'

type Headers = Pick<IncomingHttpHeaders, 'host' | 'origin'>

/**
 * Whether the Origin header has the host and port of the Host header. Any scheme, because TLS ends in front of this
 * service.
 */
export function isOwnOrigin({ host, origin }: Headers): boolean {
  if (host === undefined || origin === undefined || !isHost(host)) return false
  const scheme = /^https?:/.exec(origin)?.[0]
  const own = `${scheme}//${host}`
  return scheme !== undefined && URL.canParse(own) && new URL(own).origin === origin
}

/**
 * For changes by cookie: a browser sends the origin with each such request, and a page cannot forge it. Throws
 * DomainError `foreign_origin`.
 */
export function requireOwnOrigin(headers: Headers): void {
  if (isOwnOrigin(headers)) return
  throw new DomainError(
    'foreign_origin',
    'A request by session cookie that changes something needs an Origin header with the host and port of its Host header.',
  )
}

/** For signing in, which programs without an origin may also do. Throws DomainError `foreign_origin`. */
export function refuseForeignOrigin(headers: Headers): void {
  if (headers.origin === undefined || isOwnOrigin(headers)) return
  throw new DomainError(
    'foreign_origin',
    'A page can sign in only if its origin has the host and port of the Host header.',
  )
}

/** For protocols of programs: no page of another site may send such requests. Throws DomainError `foreign_origin`. */
export function refuseForeignPage(headers: Headers): void {
  if (headers.origin === undefined || isOwnOrigin(headers)) return
  throw new DomainError('foreign_origin', 'A page of another origin than the Host header cannot send this request.')
}
