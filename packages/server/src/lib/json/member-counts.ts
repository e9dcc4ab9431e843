import type { FieldErrors, Place } from '../validation/field-errors.ts'
import { type MemberOutline, MOST_MEMBERS, type ObjectOutline } from './object-outline.ts'
import type { BodySchema } from '../validation/schema-errors.ts'

/**
 * Adds what makes an object invalid by the number of its members alone, before a value is built for each: it has more than its closed schema has
 * fields, or one of its fields has. Adds nothing to an object that may be valid. `mostKeys` bounds the open ones among the fields, by name.
 */
export function checkMemberCounts(
  bytes: Buffer,
  { members, memberCount }: ObjectOutline,
  { properties = {} }: BodySchema,
  mostKeys: Readonly<Record<string, number>>,
  errors: FieldErrors,
  place: Place | null = null,
): void {
  if (memberCount > members.length) addExcess(bytes, members, Object.keys(properties), place, errors)
  for (const member of members) {
    if (member.memberCount <= MOST_MEMBERS) continue
    const name = nameOf(bytes, member)
    if (name === null || !Object.hasOwn(properties, name)) continue
    const most = properties[name]?.additionalProperties === false ? MOST_MEMBERS : (mostKeys[name] ?? Infinity)
    if (member.memberCount > most) {
      errors.add({ parent: place, key: name }, 'too_many', `It must have at most ${most} keys.`)
    }
  }
}

/** Among more members than there are fields, some are unknown or given twice. */
function addExcess(
  bytes: Buffer,
  members: readonly MemberOutline[],
  known: readonly string[],
  parent: Place | null,
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  for (const member of members) {
    const name = nameOf(bytes, member)
    if (name === null) return
    const place: Place = { parent, key: name }
    if (!known.includes(name)) errors.addUnknown(place, known)
    else if (seen.has(name)) errors.addRepeated(place)
    seen.add(name)
  }
}

/** Null for what is no JSON string, which the parser reports. */
function nameOf(bytes: Buffer, { keyStart, keyEnd }: MemberOutline): string | null {
  try {
    return JSON.parse(bytes.toString('utf8', keyStart, keyEnd)) as string
  } catch {
    return null
  }
}
