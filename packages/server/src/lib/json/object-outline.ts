import type { JsonScanner } from './json-scan.ts'

/** Where one value of a body lies, as byte offsets, and how many members it has itself when it is an object. */
export interface MemberOutline {
  readonly keyStart: number
  readonly keyEnd: number
  readonly start: number
  readonly end: number
  readonly memberCount: number
}

/** Where an object and its members lie, in the order sent. Ranges mean something only once the same bytes have passed JSON.parse. */
export interface ObjectOutline {
  readonly start: number
  readonly end: number
  /** At most `MOST_MEMBERS` of them. */
  readonly members: readonly MemberOutline[]
  readonly memberCount: number
}

/** More members than any closed object has fields: past it something is unknown or given twice, and that is said without the rest. */
export const MOST_MEMBERS = 32

/** Outlines the object that the scanner stands on; null when it stands on something else, which is passed over. */
export function outlineObject(scanner: JsonScanner): ObjectOutline | null {
  return outlineMembers(scanner, (name) => name.skipValue())
}

/** The same; `consume` goes over the value of each member, which it MUST consume. */
export function outlineMembers(scanner: JsonScanner, consume: (scanner: JsonScanner) => void): ObjectOutline | null {
  const start = scanner.position
  if (!scanner.enterObject()) {
    scanner.skipValue()
    return null
  }
  const members: MemberOutline[] = []
  let memberCount = 0
  while (scanner.nextMember()) {
    const { keyStart, keyEnd, position } = scanner
    consume(scanner)
    if (memberCount++ < MOST_MEMBERS) {
      members.push({ keyStart, keyEnd, start: position, end: scanner.position, memberCount: scanner.skippedMembers })
    }
  }
  return { start, end: scanner.position, members, memberCount }
}

/** Names that an object gives more than once. `members` is what was outlined of it. */
export function repeatedNames(bytes: Buffer, { members }: ObjectOutline): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { keyStart, keyEnd } of members) {
    const name = JSON.parse(bytes.toString('utf8', keyStart, keyEnd)) as string
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
  }
  return repeated
}
