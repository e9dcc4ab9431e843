import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_COOKIE } from '@spoor/contract/operations/session-operations'
import { cookieValues } from './cookies.ts'

type Headers = Pick<IncomingHttpHeaders, 'host' | 'cookie' | 'origin'> & { readonly 'x-forwarded-proto'?: unknown }

/**
 * The token of a request, if any. Two different cookies give no token: another service on the host may have added one,
 * and it is unknown which one this service set.
 */
export function sessionToken(headers: Headers): string | undefined {
  const [token, ...others] = new Set(cookieValues(headers.cookie, cookieName(headers)))
  return others.length === 0 && token !== '' ? token : undefined
}

/** A Set-Cookie header with the token. No Domain: it is for this host alone. */
export function printSessionCookie(headers: Headers, token: string, maxAgeMs: number): string {
  return print(headers, token, Math.max(0, Math.floor(maxAgeMs / 1000)))
}

/** A Set-Cookie header that removes the cookie. */
export function printNoSessionCookie(headers: Headers): string {
  return print(headers, '', 0)
}

/**
 * Cookies do not depend on the port: with the same name, two services on a host would sign each other out. So the name
 * has the port that the sender uses, which a proxy in front forwards or replaces by its own.
 */
function cookieName({ host }: Headers): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1]
  return port === undefined ? SESSION_COOKIE : `${SESSION_COOKIE}_${port}`
}

function print(headers: Headers, value: string, maxAgeSeconds: number): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${cookieName(headers)}=${value}; ${attributes}${cameOverTls(headers) ? '; Secure' : ''}`
}

/** TLS ends in front of this service. A client that forges this only affects its own cookie. */
function cameOverTls(headers: Headers): boolean {
  return headers['x-forwarded-proto'] === 'https' || headers.origin?.startsWith('https:') === true
}
