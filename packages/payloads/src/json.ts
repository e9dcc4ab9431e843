/** A JSON object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** JSON nested deeper than this stays text. */
const JSON_DEPTH = 64

/** The value of a text that contains JSON; any other value is itself. */
export function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  try {
    const found: unknown = JSON.parse(value)
    return isWithin(found, JSON_DEPTH) ? found : value
  } catch {
    // It is a text that begins like JSON.
    return value
  }
}

/** Whether objects and lists are nested at most so deep in it. */
export function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && (isList(value) ? value : Object.values(value)).every((inner) => isWithin(inner, depth - 1))
}

/** The text, or the value as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export function firstOf<T, R>(list: readonly T[], read: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = read(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first of these members that has a value. */
export function first(fields: Fields, ...names: readonly string[]): unknown {
  return firstOf(names, (name) => fields[name] ?? undefined)
}

/** The first of these members that is a text or a number, as a text; null if there is none. */
export function firstText(fields: Fields, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name]
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value)
  }
  return null
}

/** The members that say something, without the named ones. */
export function others(fields: Fields, ...names: readonly string[]): Fields {
  const left = Object.keys(fields).filter((name) => !names.includes(name) && !isEmpty(fields[name]))
  return Object.fromEntries(left.map((name) => [name, fields[name]]))
}

/** Whether a member says nothing: serializers write out what a message does not have. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isList(value) && value.length === 0)
}

export function hasNone(fields: Fields): boolean {
  return Object.values(fields).every(isEmpty)
}
