import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { parseIpAddress } from '../lib/net/ip-address.ts'
import type { AddressPolicy } from './address-policy.ts'
import { addressRefused, closedAtOnce, noAddress, notInTime, toConnectError, toTlsError } from './connect-error.ts'

/** Reports all addresses of a name: none if it cannot be resolved, null if that is not known in time. */
export type ResolveName = (name: string, report: (addresses: readonly LookupAddress[] | null) => void) => void

export interface GuardedConnectorOptions {
  readonly policy: AddressPolicy
  readonly resolve: ResolveName
  /** For the operator's log: the policy allows none of the addresses of the name. */
  readonly onRefusedName?: (name: string, addresses: readonly string[]) => void
  /** Certificates trusted in place of the system's. */
  readonly trust?: readonly string[]
  /** For the TCP connection, and again for the TLS handshake. */
  readonly timeoutMs: number
}

/**
 * Connects for undici, to addresses that the policy allows: it filters the addresses of a name, Node's block list
 * checks what is connected to, literals included, and the peer's address is checked before any byte is sent. A name is
 * looked up once per connection, so no second answer can differ. Fails with a ConnectError.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { policy, trust, timeoutMs: timeout } = options
  const connectTcp = buildConnector({ lookup: guardedLookup(options), blockList: policy.blockList, timeout })
  const startTls = buildConnector({
    timeout,
    // Each connection verifies the certificate, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    maxCachedSessions: 0,
    rejectUnauthorized: true,
    ...(trust === undefined ? {} : { ca: [...trust] }),
  })
  return ({ hostname, protocol, port }, callback) => {
    const isSecure = protocol === 'https:'
    const literal = parseIpAddress(hostname)
    const refused = literal === null ? noAddress : addressRefused
    const target = {
      // An IPv4-mapped address is connected to as the IPv4 address that was checked.
      hostname: literal?.toString() ?? hostname,
      port: port || (isSecure ? '443' : '80'),
    }
    connectTcp({ ...target, protocol: 'http:' }, (error, socket) => {
      if (error !== null) return callback(toConnectError(error, refused), null)
      const { remoteAddress } = socket
      if (remoteAddress === undefined || policy.refusal(remoteAddress) !== null) {
        socket.destroy()
        return callback(remoteAddress === undefined ? closedAtOnce() : refused(), null)
      }
      if (!isSecure) return callback(null, socket)
      const servername = literal === null ? hostname.replace(/\.$/, '') : ''
      startTls({ ...target, protocol, servername, httpSocket: socket }, (tlsError, tlsSocket) => {
        if (tlsError === null) return callback(null, tlsSocket)
        socket.destroy()
        callback(toTlsError(tlsError), null)
      })
    })
  }
}

function guardedLookup({ policy, resolve, onRefusedName }: GuardedConnectorOptions): LookupFunction {
  return (name, options, callback) => {
    resolve(name, (addresses) => {
      if (addresses === null) return callback(notInTime(), [])
      const allowed = addresses.filter(({ address }) => policy.refusal(address) === null)
      const [first] = allowed
      if (first === undefined) {
        if (addresses.length > 0)
          onRefusedName?.(
            name,
            addresses.map(({ address }) => address),
          )
        callback(noAddress(), [])
      } else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
