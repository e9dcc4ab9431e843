import type { JsonScanner } from './json-scan.ts'

/** The byte range of one member of an object, and the number of members of its value if that is an object. */
export interface MemberOutline {
  readonly keyStart: number
  readonly keyEnd: number
  readonly start: number
  readonly end: number
  readonly memberCount: number
}

/**
 * The byte ranges of an object and its members, in the order sent. They are valid only if JSON.parse accepts the same
 * bytes.
 */
export interface ObjectOutline {
  readonly start: number
  readonly end: number
  /** The first `MOST_MEMBERS` members. */
  readonly members: readonly MemberOutline[]
  readonly memberCount: number
}

/**
 * More than the fields of any closed object: beyond it a field is unknown or a duplicate, and the rest is not needed to
 * report that.
 */
export const MOST_MEMBERS = 32

/** Outlines the object at the scanner's position; null for any other value, which is skipped. */
export function outlineObject(scanner: JsonScanner): ObjectOutline | null {
  return outlineMembers(scanner, (name) => name.skipValue())
}

/** The same; `consume` is called at the value of each member and MUST consume it. */
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

/** Names that occur more than once among the outlined members. */
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
