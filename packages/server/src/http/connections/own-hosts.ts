import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { hostOfAddress, isHost } from '../access/request-origin.ts'

/** Probes of load balancers and supervisors send whatever Host they like, and learn nothing that is worth hiding. */
const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz'])

/**
 * Against DNS rebinding: a page elsewhere whose name is made to lead here sends that name as Host. `ownHosts` empty: every Host is answered. Otherwise those
 * listed are, and two that no foreign name can stand for: loopback, and the address by which the connection came. Throws DomainError `misdirected_request`.
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
    `The service does not answer for the host ${JSON.stringify((headers.host ?? '').slice(0, 100))}: it is not one of SPOOR_HOSTS.`,
  )
}

/** As it is compared: without port and trailing dot, in lower case, addresses in their shortest form. Null for what is no host. */
export function hostName(host: string): string | null {
  if (!isHost(host) || !URL.canParse(`http://${host}`)) return null
  return new URL(`http://${host}`).hostname.replace(/\.$/, '')
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
