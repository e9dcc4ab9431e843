import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * Where other nodes reach a node that listens on `host`: there, or at the first address of the machine when it listens
 * on all. Of a machine without a network, itself.
 */
export function addressOf(host: string, port: number, interfaces = networkInterfaces()): string {
  const outer = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
  const first = outer.find((address) => !isIPv6(address)) ?? outer[0] ?? '127.0.0.1'
  const name = ALL_ADDRESSES.has(host) ? first : host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}
