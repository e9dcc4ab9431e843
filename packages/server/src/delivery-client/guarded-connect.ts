import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { formatIpAddress, parseIpAddress } from '../lib/net/ip-address.ts'
import type { AddressPolicy } from './address-policy.ts'
import { ConnectError } from './connect-error.ts'

/** Tells all addresses of a name; none when it has none or cannot be resolved, null when that was not known in time. */
export type ResolveName = (name: string, tell: (addresses: readonly LookupAddress[] | null) => void) => void

export interface GuardedConnectDependencies {
  readonly policy: AddressPolicy
  readonly resolve: ResolveName
  /** For the operator alone: a name led to these addresses, none of which the policy allows. */
  readonly onRefusedName?: (name: string, addresses: readonly string[]) => void
  /** Certificates trusted beside those of the system. */
  readonly trust?: readonly string[]
}

export interface ConnectTarget {
  readonly isSecure: boolean
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
}

/**
 * Connects to a receiver if the policy allows the address that is really connected to: a literal is judged at once, a name by every answer of this look-up, what the system connects to by its
 * block list, and the peer of the connection before any byte is sent. There is no second look-up that could answer otherwise.
 *
 * @param ended called once, with the connection or a ConnectError
 * @returns what gives the attempt up; `ended` is not called any more then
 */
export function guardedConnect(
  { policy, resolve, onRefusedName, trust }: GuardedConnectDependencies,
  { isSecure, host, port }: ConnectTarget,
  ended: (error: ConnectError | null, socket: Socket | null) => void,
): () => void {
  const literal = parseIpAddress(host)
  const socket = connectTcp({
    // An IPv4-mapped address is connected to as what it is judged as.
    host: literal === null ? host : formatIpAddress(literal),
    port,
    lookup: guardedLookup(policy, resolve, onRefusedName),
    blockList: policy.blockList,
    noDelay: true,
  })
  let current = socket
  let isSettled = false
  const settle = (error: ConnectError | null) => {
    if (isSettled) return
    isSettled = true
    if (error !== null) current.destroy()
    ended(error, error === null ? current : null)
  }
  const refused = literal === null ? noAddress : addressRefused
  const failed = (error: Error) => settle(current === socket ? toConnectError(error, refused) : toTlsError(error))
  // Both stay for as long as the socket: one that has ended may still report an error.
  socket.on('error', failed)
  socket.once('close', () => failed(closed()))
  socket.once('connect', () => {
    if (socket.remoteAddress === undefined) return settle(closed())
    if (policy.refusal(socket.remoteAddress) !== null) return settle(refused())
    if (!isSecure) return settle(null)
    current = connectTls({
      socket,
      host,
      servername: literal === null ? host.replace(/\.$/, '') : '',
      ALPNProtocols: ['http/1.1'],
      // Whatever the environment says.
      rejectUnauthorized: true,
      ...(trust === undefined ? {} : { ca: [...trust] }),
    })
    current.on('error', failed)
    current.once('close', () => failed(closed()))
    current.once('secureConnect', () => settle(null))
  })
  return () => {
    isSettled = true
    current.destroy()
  }
}

function guardedLookup(
  policy: AddressPolicy,
  resolve: ResolveName,
  onRefusedName: GuardedConnectDependencies['onRefusedName'],
): LookupFunction {
  return (name, options, callback) => {
    resolve(name, (answers) => {
      if (answers === null) return callback(notInTime(), [])
      const allowed = answers.filter(({ address }) => policy.refusal(address) === null)
      const [first] = allowed
      if (first === undefined && answers.length > 0) {
        const addresses = answers.map(({ address }) => address)
        onRefusedName?.(name, addresses)
      }
      if (first === undefined) callback(noAddress(), [])
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function addressRefused(): ConnectError {
  return new ConnectError('address_refused', 'the host is an address that deliveries do not go to')
}

/** One and the same whether there is such a name or not: which names a network has inside is no business of those who use the service. */
function noAddress(): ConnectError {
  return new ConnectError(
    'dns_failed',
    'the name of the host has no address that deliveries go to: it cannot be resolved, or is at private addresses, which only the operator can allow',
  )
}

function notInTime(): ConnectError {
  return new ConnectError('dns_failed', 'the name of the host could not be looked up in time')
}

function toConnectError(error: Error & { readonly code?: unknown }, refused: () => ConnectError): ConnectError {
  if (error instanceof ConnectError) return error
  switch (error.code) {
    case 'ERR_IP_BLOCKED':
      return refused()
    case 'ECONNREFUSED':
      return new ConnectError('connection_refused', 'nothing listens there: the connection was refused')
    default:
      return new ConnectError('connection_failed', `no connection could be made${codeOf(error)}`)
  }
}

function closed(): ConnectError {
  return new ConnectError('connection_failed', 'the connection was closed before a request could be sent')
}

/** The text of certificate errors names the names in a certificate that anybody may read; others are OpenSSL's, with source lines. */
function toTlsError(error: Error & { readonly code?: unknown }): ConnectError {
  const isOfCertificate = /^(ERR_TLS_CERT|CERT_|UNABLE_|DEPTH_|SELF_|HOSTNAME_)/.test(String(error.code))
  const detail = isOfCertificate ? `the certificate is not accepted: ${error.message}` : 'the TLS handshake failed'
  return new ConnectError('tls_failed', `${detail}${isOfCertificate ? '' : codeOf(error)}`)
}

function codeOf({ code }: { readonly code?: unknown }): string {
  return typeof code === 'string' ? ` (${code})` : ''
}
