import type { Limits } from '@spoor/contract/limits'
import { invalid } from '../../lib/validation/validation-failed.ts'

export function pageLimit(limit: number | undefined, limits: Limits): number {
  return Math.min(limit ?? limits.listLimitDefault, limits.listLimitMax)
}

/**
 * Pairs metadata filters. With as many values as keys, the first value belongs to the first key and so on, whatever the
 * order. With fewer, each value belongs to the key just before it, and a key without a value only has to exist.
 */
export function metadataFilters(pairs: URLSearchParams): { readonly key: string; readonly value: string | null }[] {
  const keys = pairs.getAll('meta_key')
  const values = pairs.getAll('meta_value')
  if (keys.length === values.length) return keys.map((key, i) => ({ key, value: values[i] ?? null }))
  const filters: { key: string; value: string | null }[] = []
  for (const [name, text] of pairs) {
    if (name === 'meta_key') filters.push({ key: text, value: null })
    if (name !== 'meta_value') continue
    const last = filters.at(-1)
    if (last === undefined || last.value !== null) {
      throw invalid({
        pointer: '?meta_value',
        code: 'invalid_value',
        detail: 'Each meta_value needs a meta_key before it.',
      })
    }
    last.value = text
  }
  return filters
}
