import type { FieldErrors, Place } from '../validation/field-errors.ts'
import { type MemberOutline, MOST_MEMBERS, type ObjectOutline } from './object-outline.ts'

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>
}

/**
 * Adds the errors that the number of members alone shows, before a value is built for each: the object, or an object in
 * one of its fields, has more members than its closed schema has fields. Adds nothing for an object that may be valid.
 * `mostKeys` gives the largest number of keys of open objects, by field name.
 */
export function checkMemberCounts(
  bytes: Buffer,
  { members, memberCount }: ObjectOutline,
  { properties = {} }: ObjectSchema,
  mostKeys: Readonly<Record<string, number>>,
  errors: FieldErrors,
  place: Place | null = null,
): void {
  if (memberCount > members.length) addExcess(bytes, members, Object.keys(properties), place, errors)
  for (const member of members) {
    if (member.memberCount <= MOST_MEMBERS) continue
    const name = nameOf(bytes, member)
    if (name === null || !Object.hasOwn(properties, name)) continue
    const property: { readonly additionalProperties?: unknown } | undefined = properties[name]
    const most = property?.additionalProperties === false ? MOST_MEMBERS : (mostKeys[name] ?? Infinity)
    if (member.memberCount > most) {
      errors.add({ parent: place, key: name }, 'too_many', `It must have at most ${most} keys.`)
    }
  }
}

/** If an object has more members than its schema has fields, some are unknown or duplicate. */
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

/** Null if the key is not a valid JSON string: the parser reports that. */
function nameOf(bytes: Buffer, { keyStart, keyEnd }: MemberOutline): string | null {
  try {
    return JSON.parse(bytes.toString('utf8', keyStart, keyEnd)) as string
  } catch {
    return null
  }
}
