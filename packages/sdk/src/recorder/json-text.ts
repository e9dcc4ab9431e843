export type Mask = (value: unknown, path: string) => unknown

const MOST_LEVELS = 60

/** Of one text of JSON, characters: a request that is much larger is refused. The service shortens what is left. */
const MOST_CHARACTERS = 16 * 1024 * 1024
/** Of each text in a larger one. */
const CUT_AT = [65_536, 1024]

/**
 * JSON of any value. Never throws: values that JSON cannot express become a text, a circular value is cut, and so are
 * the texts of one that is too large.
 */
export function jsonText(value: unknown, path: string, mask?: Mask): string {
  let text = wholeText(value, path, mask)
  for (const most of CUT_AT) {
    if (text.length <= MOST_CHARACTERS) break
    text = JSON.stringify(JSON.parse(text), (_key, one) => (typeof one === 'string' ? cutText(one, most) : one))
  }
  return text.length <= MOST_CHARACTERS ? text : JSON.stringify(cutText(text, 65_536))
}

function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} characters were cut]`
}

function wholeText(value: unknown, path: string, mask: Mask | undefined): string {
  try {
    if (mask === undefined) return JSON.stringify(value) ?? 'null'
  } catch {
    // A cycle, a bigint or a getter that throws: slowly, part by part.
  }
  return JSON.stringify(plain(value, path, mask, [])) ?? 'null'
}

function plain(given: unknown, path: string, mask: Mask | undefined, around: readonly unknown[]): unknown {
  try {
    const value = mask === undefined ? given : mask(given, path)
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (around.includes(value)) return '[circular]'
    if (around.length === MOST_LEVELS) return '[too deep]'
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return plain((value.toJSON as () => unknown)(), path, mask, [...around, value])
    }
    const within = [...around, value]
    if (Array.isArray(value)) return value.map((one, at) => plain(one, `${path}.${at}`, mask, within))
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, plain(read(value, key), `${path}.${key}`, mask, within)]),
    )
  } catch {
    return '[unreadable]'
  }
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key]
  } catch {
    return '[unreadable]'
  }
}
