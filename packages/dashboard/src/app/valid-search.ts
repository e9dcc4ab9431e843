/**
 * The search parameters of a screen, as `parse` takes them from an address. The router merges them into those of the
 * address: a parameter that was dropped as invalid would come back.
 */
export function validSearch<T extends object>(parse: (raw: Record<string, unknown>) => T) {
  return (raw: Record<string, unknown>): T => ({
    ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])),
    ...parse(raw),
  })
}
