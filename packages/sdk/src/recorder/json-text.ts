export type Mask = (value: unknown, path: string) => unknown

const MOST_LEVELS = 60

/** JSON of any value. Never throws: what JSON cannot say becomes a text, and a value that holds itself is cut. */
export function jsonText(value: unknown, path: string, mask?: Mask): string {
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
