import { BlockList, type SocketAddress } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type IpAddress, ipRange, type IpRange, parseIpAddress } from '../lib/net/ip-address.ts'

/**
 * Addresses that deliveries may reach: public ones, and addresses that the operator allows. Users choose the URLs;
 * without the policy they could make the service call internal services.
 */
export interface AddressPolicy {
  /**
   * The kind of address that is refused, such as `a private address`; null if deliveries may go there. Refuses text
   * that is no address.
   */
  refusal(address: string): string | null
  /**
   * Why a URL is refused without DNS: its host is a refused literal in any notation, or localhost. A sentence, or null.
   */
  literalProblem(url: URL): string | null
  /** Applies `refusal` to every address that Node connects to. */
  readonly blockList: BlockList
}

/**
 * From the IANA registries of special-purpose addresses. The first match names an address; an address without a match
 * is refused too.
 */
const RANGES: Readonly<Record<string, IpRange[]>> = {
  'an unspecified address': ranges('0.0.0.0/8', '::/128'),
  'a loopback address': ranges('127.0.0.0/8', '::1/128'),
  'a private address': ranges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'),
  // Clouds hand out credentials of the machine here; the second is Azure's, in public space.
  'a metadata address': ranges('169.254.169.254/32', '168.63.129.16/32'),
  'a link-local address': ranges('169.254.0.0/16', 'fe80::/10'),
  'a carrier-grade NAT address': ranges('100.64.0.0/10'),
  'a multicast address': ranges('224.0.0.0/4', 'ff00::/8'),
  'a documentation address': ranges('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'),
  'a benchmarking address': ranges('198.18.0.0/15', '2001:2::/48'),
  // These contain an IPv4 address, which a translator or a tunnel would connect to.
  'a NAT64 address': ranges('64:ff9b::/96', '64:ff9b:1::/48'),
  'a 6to4 address': ranges('2002::/16', '192.88.99.0/24'),
  'a Teredo address': ranges('2001::/32'),
  'an IPv4-compatible address': ranges('::/96'),
  'a reserved address': ranges('192.0.0.0/24', '240.0.0.0/4', '100::/64', '2001::/23'),
  public: ranges('0.0.0.0/0', '2000::/3'),
}
const LOOPBACK = ipaddr.IPv4.parse('127.0.0.1')

/** @param allow what the operator allows; it takes precedence over all other ranges */
export function createAddressPolicy(allow: readonly IpRange[]): AddressPolicy {
  const all = { allowed: [...allow], ...RANGES }
  const refusalOf = (address: IpAddress) => {
    const name = ipaddr.subnetMatch(address, all, 'no public address')
    return name === 'allowed' || name === 'public' ? null : name
  }
  const refusal = (text: string) => {
    const address = parseIpAddress(text)
    return address === null ? 'no address' : refusalOf(address)
  }
  return {
    refusal,
    literalProblem: ({ hostname }) => {
      const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
      const isLocal = /(^|\.)localhost$/i.test(host)
      const address = isLocal ? LOOPBACK : parseIpAddress(host)
      const what = address === null ? null : refusalOf(address)
      // If only ::1 is allowed, the connection decides about localhost.
      if (what === null || (isLocal && refusal('::1') === null)) return null
      return `${host} is ${what}: deliveries do not go there, unless the operator allows it with SPOOR_WEBHOOK_ALLOW`
    },
    blockList: new (class extends BlockList {
      override check(address: string | SocketAddress): boolean {
        return refusal(typeof address === 'string' ? address : address.address) !== null
      }
    })(),
  }
}

function ranges(...texts: readonly string[]): IpRange[] {
  return texts.map(ipRange)
}
