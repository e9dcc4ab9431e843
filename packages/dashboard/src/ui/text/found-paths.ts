import { isRawNumber } from '@spoor/payloads/exact-json'

/** What of a JSON value must be open to show the matches of a search. */
export interface FoundPaths {
  /** Containers, as JSON Pointers. */
  readonly open: ReadonlySet<string>
  /** The number of children to show, where a match is beyond the first ones. */
  readonly shown: ReadonlyMap<string, number>
}

export const NOTHING_FOUND: FoundPaths = { open: new Set(), shown: new Map() }

const MATCHES_MAX = 100

interface Place {
  readonly path: string
  readonly value: unknown
  readonly above: Place | null
  /** Its place among its siblings. */
  readonly at: number
}

/** The containers around the first values that match a query in lower case. A search ignores names. */
export function foundPaths(value: unknown, query: string): FoundPaths {
  if (query === '') return NOTHING_FOUND
  const open = new Set<string>()
  const shown = new Map<string, number>()
  let matches = 0
  // A stack, not recursion: a value may be thousands deep.
  const stack: Place[] = [{ path: '', value, above: null, at: 0 }]
  for (let place = stack.pop(); place !== undefined && matches < MATCHES_MAX; place = stack.pop()) {
    if (typeof place.value === 'object' && place.value !== null && !isRawNumber(place.value)) {
      const children = Object.entries(place.value)
      for (let at = children.length - 1; at >= 0; at -= 1) {
        const [name, child] = children[at] as [string, unknown]
        const path = `${place.path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        stack.push({ path, value: child, above: place, at })
      }
      continue
    }
    if (!printed(place.value).includes(query)) continue
    matches += 1
    for (let { above, at } = place; above !== null; { above, at } = above) {
      open.add(above.path)
      shown.set(above.path, Math.max(shown.get(above.path) ?? 0, at + 1))
    }
  }
  return { open, shown }
}

function printed(value: unknown): string {
  return (isRawNumber(value) ? value.rawJSON : String(value)).toLowerCase()
}
