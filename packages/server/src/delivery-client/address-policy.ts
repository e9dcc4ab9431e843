import { BlockList } from 'node:net'
import { formatIpAddress, type IpAddress, parseIpAddress } from '../lib/net/ip-address.ts'
import { ipRange, type IpRange, isInRange, subtractRanges } from '../lib/net/ip-range.ts'

/**
 * Which addresses deliveries may reach: those of the public Internet, and what the operator allows. Users choose the urls: without this they could ask the service to
 * speak to whatever is beside it.
 */
export interface AddressPolicy {
  /** What the address is that must not be connected to; null when it may be. Text that is no address is refused. */
  refusal(address: string): string | null
  /** What is wrong with a url whose host needs no DNS to be refused: a literal address in whatever form, or localhost. A sentence; null otherwise. */
  literalProblem(url: URL): string | null
  /** The same as `refusal`, for the runtime to hold every connection against. */
  readonly blockList: BlockList
}

const IPV6 = ipRange('::/0')
const GLOBAL_UNICAST = ipRange('2000::/3')
/** Judged as IPv4, never as IPv6. */
const MAPPED: IpRange = { family: 'ipv6', first: 0xffffn << 32n, last: (0xffffn << 32n) + 0xffff_ffffn }

/** From the IANA registries of special-purpose addresses; the first that fits names an address. */
const REFUSED: readonly { readonly range: IpRange; readonly what: string }[] = [
  ...named('an unspecified address', '0.0.0.0/8', '::/128'),
  ...named('a loopback address', '127.0.0.0/8', '::1/128'),
  ...named('a private address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'),
  // Where clouds answer with credentials of the machine; the second is Azure's, in public space.
  ...named('a metadata address', '169.254.169.254/32', '168.63.129.16/32'),
  ...named('a link-local address', '169.254.0.0/16', 'fe80::/10'),
  ...named('a carrier-grade NAT address', '100.64.0.0/10'),
  ...named('a multicast address', '224.0.0.0/4', 'ff00::/8'),
  ...named(
    'a documentation address',
    '192.0.2.0/24',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '2001:db8::/32',
    '3fff::/20',
  ),
  ...named('a benchmarking address', '198.18.0.0/15', '2001:2::/48'),
  // These carry an IPv4 address inside, which would be reached through a translator or a tunnel.
  ...named('a NAT64 address', '64:ff9b::/96', '64:ff9b:1::/48'),
  ...named('a 6to4 address', '2002::/16', '192.88.99.0/24'),
  ...named('a Teredo address', '2001::/32'),
  ...named('an IPv4-compatible address', '::/96'),
  ...named('a reserved address', '192.0.0.0/24', '240.0.0.0/4', '100::/64', '2001::/23'),
  ...subtractRanges([IPV6], [GLOBAL_UNICAST, MAPPED]).map((range) => ({ range, what: 'no public address' })),
]

/** @param allow what the operator wants reached all the same; it wins over everything else */
export function createAddressPolicy(allow: readonly IpRange[]): AddressPolicy {
  const refusalOf = (address: IpAddress) =>
    allow.some((range) => isInRange(address, range))
      ? null
      : (REFUSED.find(({ range }) => isInRange(address, range))?.what ?? null)
  const refusal = (text: string) => {
    const address = parseIpAddress(text)
    return address === null ? 'no address' : refusalOf(address)
  }
  return {
    refusal,
    literalProblem: ({ hostname }) => {
      const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
      const isLocal = /(^|\.)localhost$/i.test(host)
      const address = isLocal ? { family: 'ipv4' as const, value: 0x7f00_0001n } : parseIpAddress(host)
      const what = address === null ? null : refusalOf(address)
      // Who allows ::1 alone has localhost judged when it is connected to.
      if (what === null || (isLocal && refusal('::1') === null)) return null
      return `${host} is ${what}: deliveries do not go there, unless the operator allows it with SPOOR_WEBHOOK_ALLOW`
    },
    blockList: toBlockList(
      subtractRanges(
        REFUSED.map(({ range }) => range),
        allow,
      ),
    ),
  }
}

function toBlockList(ranges: readonly IpRange[]): BlockList {
  const list = new BlockList()
  for (const { family, first, last } of ranges) {
    list.addRange(formatIpAddress({ family, value: first }), formatIpAddress({ family, value: last }), family)
  }
  return list
}

function named(what: string, ...ranges: readonly string[]) {
  return ranges.map((text) => ({ range: ipRange(text), what }))
}
