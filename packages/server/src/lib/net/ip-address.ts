import { isIPv4, isIPv6 } from 'node:net'

export type IpFamily = 'ipv4' | 'ipv6'

/** An address as a number: 32 bits of IPv4, 128 of IPv6. */
export interface IpAddress {
  readonly family: IpFamily
  readonly value: bigint
}

export const BITS_OF_FAMILY: Readonly<Record<IpFamily, number>> = { ipv4: 32, ipv6: 128 }

/** ::ffff:0:0/96: IPv4 in the clothes of IPv6. A connection to such an address goes to the IPv4 address. */
const MAPPED_PREFIX = 0xffffn

/**
 * Dotted IPv4, and IPv6 as text without brackets; a zone (`%eth0`) is left out. An IPv4-mapped address comes back as the IPv4 address that it is. Null when it is neither:
 * octal, hexadecimal and short forms are no addresses here, since programs read them differently.
 */
export function parseIpAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return { family: 'ipv4', value: valueOfDotted(text) }
  if (!isIPv6(text)) return null
  const value = valueOfGroups(text.split('%', 1)[0] ?? '')
  return value >> 32n === MAPPED_PREFIX ? { family: 'ipv4', value: value & 0xffff_ffffn } : { family: 'ipv6', value }
}

/** As `parseIpAddress` reads it; IPv6 in eight groups, none left out. */
export function formatIpAddress({ family, value }: IpAddress): string {
  const [parts, bits, radix, separator] = family === 'ipv4' ? ([4, 8n, 10, '.'] as const) : ([8, 16n, 16, ':'] as const)
  return Array.from({ length: parts }, (_, index) =>
    ((value >> (bits * BigInt(parts - 1 - index))) & ((1n << bits) - 1n)).toString(radix),
  ).join(separator)
}

function valueOfDotted(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

/** `text` is IPv6, which the caller has made sure of. */
function valueOfGroups(text: string): bigint {
  const [head = '', tail] = text.split('::')
  const before = groupsOf(head)
  const behind = tail === undefined ? [] : groupsOf(tail)
  const left = Array.from({ length: 8 - before.length - behind.length }, () => 0n)
  return [...before, ...left, ...behind].reduce((value, group) => (value << 16n) | group, 0n)
}

function groupsOf(text: string): bigint[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const value = valueOfDotted(group)
    return [value >> 16n, value & 0xffffn]
  })
}
