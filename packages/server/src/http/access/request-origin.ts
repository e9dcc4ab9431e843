import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'

/**
 * A name, an IPv4 address or an IPv6 address in brackets, with or without a port. Stricter than URL, which decodes and
 * drops characters.
 */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d*)?$/i

export function isHost(text: string): boolean {
  return HOST.test(text)
}

/**
 * `scheme://host` by which the sender of this request reaches the service. It comes from the request and from a TLS
 * proxy in front, so it MUST only be used in an answer to the same sender that is not cached.
 */
export function requestOrigin({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const host = headers.host ?? `${hostOfAddress(socket.localAddress ?? '')}:${socket.localPort}`
  const origin = `${scheme}://${host}`
  if (!isHost(host) || !URL.canParse(origin)) {
    throw new DomainError('bad_request', 'The Host header is not a host name.')
  }
  return new URL(origin).origin
}

/** An address as a URL writes it. A dual-stack socket reports IPv4 addresses as IPv6. */
export function hostOfAddress(address: string): string {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/, '')
  return isIPv6(bare) ? `[${bare}]` : bare
}
