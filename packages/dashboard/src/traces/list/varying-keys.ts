import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'

/** A longer menu is hard to use. */
const MAX = 20

/** Metadata keys that tell these rows apart: not all have the same value. The most frequent first. */
export function varyingKeys(rows: readonly Pick<TraceRow, 'metadata'>[]): readonly string[] {
  const seen = new Map<string, { readonly value: string; count: number; varies: boolean }>()
  for (const { metadata } of rows) {
    for (const [key, of] of Object.entries(metadata)) {
      const value = JSON.stringify(of)
      const known = seen.get(key)
      if (known === undefined) seen.set(key, { value, count: 1, varies: false })
      else {
        known.count += 1
        known.varies ||= known.value !== value
      }
    }
  }
  return [...seen]
    .filter(([, { count, varies }]) => varies || count < rows.length)
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, MAX)
    .map(([key]) => key)
}
