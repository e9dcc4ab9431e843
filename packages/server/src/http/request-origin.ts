import type { FastifyRequest } from 'fastify'
import { DomainError } from '../lib/domain-error.ts'

/**
 * `scheme://host` by which the sender of this request reaches the service. Told by the request itself, and by a proxy in front that speaks TLS: only ever to be used in an answer to
 * the same sender.
 */
export function requestOrigin({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const host = headers.host ?? `${socket.localAddress}:${socket.localPort}`
  const origin = `${scheme}://${host}`
  if (/[/?#@\\]/.test(host) || !URL.canParse(origin)) {
    throw new DomainError('bad_request', 'The Host header is not the name of a host.')
  }
  return new URL(origin).origin
}
