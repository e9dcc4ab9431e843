import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6
/** All addresses that share so many leading bits with this one. */
export type IpRange = [IpAddress, number]

/** `problem` completes a sentence that begins with the given text. */
export type ParsedIpRange = { readonly range: IpRange } | { readonly problem: string }

const MAPPED_BITS = 96

/**
 * Parses dotted IPv4, or IPv6 without brackets; ignores a zone (`%eth0`). Returns an IPv4-mapped address as IPv4, since
 * connections to it go there. Returns null for other text: programs disagree about octal, hexadecimal and short forms.
 */
export function parseIpAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  if (!isIPv6(text)) return null
  // ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8; URL writes the last 32 bits in hexadecimal.
  const url = URL.parse(`http://[${text.split('%', 1)[0]}]`)
  if (url === null) return null
  const address = ipaddr.IPv6.parse(url.hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Parses `10.0.0.0/8`, `fd00::/8` or one address. A range of IPv4-mapped addresses is returned as IPv4. */
export function parseIpRange(text: string): ParsedIpRange {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const address = addressText.includes('%') ? null : parseIpAddress(addressText)
  if (address === null || rest.length > 0) return { problem: 'is no address or range such as 10.0.0.0/8 or fd00::/8' }
  const bits = address.kind() === 'ipv4' ? 32 : 128
  if (prefixText === undefined) return { range: [address, bits] }
  const mappedBits = bits === 32 && addressText.includes(':') ? MAPPED_BITS : 0
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) - mappedBits : NaN
  if (!(prefix >= 0 && prefix <= bits)) return { problem: `needs a prefix from ${mappedBits} to ${bits + mappedBits}` }
  const network = networkOf(address, prefix)
  if (network.toString() === address.toString()) return { range: [address, prefix] }
  return { problem: `has bits set after its prefix; is ${network.toString()}/${prefix} meant?` }
}

/** For ranges written in code. */
export function ipRange(text: string): IpRange {
  const parsed = parseIpRange(text)
  if ('problem' in parsed) throw new Error(`${text} ${parsed.problem}`)
  return parsed.range
}

/** The first address of the network that the address and `prefix` bits describe. */
export function networkOf(address: IpAddress, prefix: number): IpAddress {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return family.networkAddressFromCIDR(`${address.toString()}/${prefix}`)
}
