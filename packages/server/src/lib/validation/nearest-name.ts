/** The known name that a mistyped one most likely meant, or null: `sessionId` → `session_id`, `nmae` → `name`. */
export function nearestName(name: string, known: readonly string[]): string | null {
  // Known names are short; comparing a huge key with them would take time and find nothing.
  if (name.length > 40) return null
  const given = simplify(name)
  let nearest: string | null = null
  let nearestDistance = Infinity
  for (const candidate of known) {
    const target = simplify(candidate)
    const most = Math.min(Math.floor(target.length / 3), nearestDistance - 1)
    // The distance is at least the difference of the lengths: most names need no comparison.
    if (Math.abs(given.length - target.length) > most) continue
    const distance = editDistance(given, target)
    if (distance <= most) {
      nearest = candidate
      nearestDistance = distance
    }
  }
  return nearest
}

/** Naming conventions of languages differ in case and separators. */
function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    const previous = rows[i - 1]!
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? rows[i - 2]![j - 2]! + 1 : Infinity
      row.push(Math.min(substituted, previous[j]! + 1, row[j - 1]! + 1, swap))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
