/** The paths that may still match below a place: how many names of each have matched. */
export type Place = readonly (readonly [path: FieldPath, matched: number])[]

export interface FieldPath {
  /** As it is written. */
  readonly text: string
  readonly names: readonly string[]
}

/** Of a member: a path has no more. */
const MOST_NAMES = 100

export function toFieldPath(text: string): FieldPath {
  return { text, names: text.split('.') }
}

export function placeAtRoot(paths: readonly FieldPath[]): Place {
  return paths.map((path) => [path, 0] as const)
}

/** The place below a member. A name with dots, as attributes of spans have, counts as several names. */
export function placeBelow(place: Place, key: string): Place {
  let below = place
  for (const name of key.split('.', MOST_NAMES)) {
    if (below.length === 0) return below
    below = distinct(below.flatMap(([path, matched]) => step(path, matched, name)))
  }
  return below
}

function distinct(place: Place): Place {
  if (place.length < 2) return place
  const known = new Map<FieldPath, Set<number>>()
  return place.filter(([path, matched]) => {
    const before = known.get(path) ?? new Set()
    known.set(path, before)
    return before.size < before.add(matched).size
  })
}

function step(path: FieldPath, matched: number, name: string): Place {
  const expected = path.names[matched]
  // Below a whole path, everything is masked.
  if (expected === undefined) return [[path, matched]]
  if (expected === '**') return [[path, matched], ...step(path, matched + 1, name)]
  return expected === '*' || expected === name ? [[path, matched + 1]] : []
}

/** The path that names this place or one above it; null if none does. */
export function pathAt(place: Place): string | null {
  return place.find(([{ names }, matched]) => matched === names.length)?.[0].text ?? null
}
