import { BITS_OF_FAMILY, formatIpAddress, type IpAddress, type IpFamily, parseIpAddress } from './ip-address.ts'

/** Addresses of one family, both ends included. */
export interface IpRange {
  readonly family: IpFamily
  readonly first: bigint
  readonly last: bigint
}

/** `problem` completes a sentence that begins with what was given. */
export type ParsedIpRange = { readonly range: IpRange } | { readonly problem: string }

const MAPPED_BITS = 96

/** `10.0.0.0/8`, `fd00::/8`, or one address. A prefix of IPv4-mapped addresses is one of IPv4. */
export function parseIpRange(text: string): ParsedIpRange {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const address = addressText.includes('%') ? null : parseIpAddress(addressText)
  if (address === null || rest.length > 0) return { problem: 'is no address or range such as 10.0.0.0/8 or fd00::/8' }
  const bits = BITS_OF_FAMILY[address.family]
  if (prefixText === undefined) return { range: rangeOf(address, bits) }
  const isMapped = address.family === 'ipv4' && addressText.includes(':')
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) - (isMapped ? MAPPED_BITS : 0) : NaN
  if (!(prefix >= 0 && prefix <= bits)) {
    return { problem: `needs a prefix from ${isMapped ? MAPPED_BITS : 0} to ${bits + (isMapped ? MAPPED_BITS : 0)}` }
  }
  const range = rangeOf(address, prefix)
  if (range.first === address.value) return { range }
  const meant = formatIpAddress({ family: address.family, value: range.first })
  return { problem: `has bits set behind its prefix; is ${meant}/${prefix} meant?` }
}

/** For ranges that are written in code. */
export function ipRange(text: string): IpRange {
  const parsed = parseIpRange(text)
  if ('problem' in parsed) throw new Error(`${text} ${parsed.problem}`)
  return parsed.range
}

export function isInRange(address: IpAddress, range: IpRange): boolean {
  return address.family === range.family && address.value >= range.first && address.value <= range.last
}

/** What is in one of `ranges` and in none of `taken`. */
export function subtractRanges(ranges: readonly IpRange[], taken: readonly IpRange[]): IpRange[] {
  return taken.reduce<IpRange[]>(
    (left, hole) =>
      left.flatMap((range) => {
        if (range.family !== hole.family || hole.first > range.last || hole.last < range.first) return [range]
        const below = { ...range, last: hole.first - 1n }
        const above = { ...range, first: hole.last + 1n }
        return [below, above].filter(({ first, last }) => first <= last)
      }),
    [...ranges],
  )
}

/** The addresses that share the first `prefix` bits with this one. */
function rangeOf({ family, value }: IpAddress, prefix: number): IpRange {
  const free = BigInt(BITS_OF_FAMILY[family] - prefix)
  const first = (value >> free) << free
  return { family, first, last: first + (1n << free) - 1n }
}
