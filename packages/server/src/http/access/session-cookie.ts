import type { IncomingHttpHeaders } from 'node:http'
import { SESSION_COOKIE } from '@spoor/contract/operations/session-operations'
import { cookieValues } from './cookies.ts'

type Headers = Pick<IncomingHttpHeaders, 'host' | 'cookie' | 'origin'> & { readonly 'x-forwarded-proto'?: unknown }

/**
 * The token that a request carries; undefined when it carries none. Two different ones are none: which of them this service set cannot be told, and somebody else on the host may have
 * added one.
 */
export function sessionToken(headers: Headers): string | undefined {
  const [token, ...others] = new Set(cookieValues(headers.cookie, cookieName(headers)))
  return others.length === 0 && token !== '' ? token : undefined
}

/** A Set-Cookie that hands out a token. No Domain: it is for this host alone. */
export function printSessionCookie(headers: Headers, token: string, maxAgeMs: number): string {
  return print(headers, token, Math.max(0, Math.floor(maxAgeMs / 1000)))
}

/** A Set-Cookie that takes it back. */
export function printNoSessionCookie(headers: Headers): string {
  return print(headers, '', 0)
}

/**
 * Cookies know no ports: under one name, two services on a host would sign each other out. The port that the sender uses tells them apart, which a proxy in front passes on or replaces by
 * the one it uses itself.
 */
function cookieName({ host }: Headers): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1]
  return port === undefined ? SESSION_COOKIE : `${SESSION_COOKIE}_${port}`
}

function print(headers: Headers, value: string, maxAgeSeconds: number): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${cookieName(headers)}=${value}; ${attributes}${cameOverTls(headers) ? '; Secure' : ''}`
}

/** TLS ends in front of this service. Whoever makes this up only keeps his own browser from sending the cookie without. */
function cameOverTls(headers: Headers): boolean {
  return headers['x-forwarded-proto'] === 'https' || headers.origin?.startsWith('https:') === true
}
