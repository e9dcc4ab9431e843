import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '../../lib/domain-error.ts'
import { isHost } from './request-origin.ts'

type Headers = Pick<IncomingHttpHeaders, 'host' | 'origin'>

/** What the browser says where the page is from must be where it sent the request. Of any scheme, because TLS ends in front of this service. */
export function isOwnOrigin({ host, origin }: Headers): boolean {
  if (host === undefined || origin === undefined || !isHost(host)) return false
  const scheme = /^https?:/.exec(origin)?.[0]
  const own = `${scheme}//${host}`
  return scheme !== undefined && URL.canParse(own) && new URL(own).origin === origin
}

/** For what changes something by cookie: browsers name the origin of every such request, and let no page make one up. Throws DomainError `foreign_origin`. */
export function requireOwnOrigin(headers: Headers): void {
  if (isOwnOrigin(headers)) return
  throw new DomainError(
    'foreign_origin',
    'A request by session cookie that changes something needs an Origin header with the host and port of its Host header.',
  )
}

/** For signing in, which programs without an origin may do as well. Throws DomainError `foreign_origin`. */
export function refuseForeignOrigin(headers: Headers): void {
  if (headers.origin === undefined || isOwnOrigin(headers)) return
  throw new DomainError(
    'foreign_origin',
    'Pages of another origin than the host and port of the Host header sign nobody in.',
  )
}
