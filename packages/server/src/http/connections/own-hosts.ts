import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { hostOfAddress, isHost } from '../access/request-origin.ts'

/** Probes of load balancers and supervisors send any Host, and the answers reveal nothing. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])

/**
 * Protects against DNS rebinding: a foreign page whose name resolves to this service sends that name as Host.
 * `ownHosts` empty: every Host is allowed. Otherwise the listed hosts are, and two that a foreign page cannot use:
 * loopback, and the local address of the connection. Throws DomainError `misdirected_request`.
 */
export function requireOwnHost(
  { headers, socket, routeOptions }: Pick<FastifyRequest, 'headers' | 'socket' | 'routeOptions'>,
  ownHosts: ReadonlySet<string | null>,
): void {
  if (ownHosts.size === 0 || PROBES.has(routeOptions.url)) return
  const name = hostName(headers.host ?? '')
  if (name !== null && (ownHosts.has(name) || isLoopback(name))) return
  if (name !== null && name === hostName(hostOfAddress(socket.localAddress ?? ''))) return
  throw new DomainError(
    'misdirected_request',
    `The service does not serve the host ${JSON.stringify((headers.host ?? '').slice(0, 100))}: it is not in SPOOR_HOSTS.`,
  )
}

/**
 * The form for comparison: without port and trailing dot, lower case, addresses in their shortest form. Null if it is
 * not a host.
 */
export function hostName(host: string): string | null {
  if (!isHost(host) || !URL.canParse(`http://${host}`)) return null
  return new URL(`http://${host}`).hostname.replace(/\.$/, '')
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
