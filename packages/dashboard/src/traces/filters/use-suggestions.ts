import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { NO_CLUSTER, ownFilter, TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { useQuery } from '@tanstack/react-query'
import { clusterNamesQuery } from '../../api/clusters.ts'
import { metricsQuery } from '../../api/metrics.ts'
import { facetsQuery } from '../../api/trace-facets.ts'
import { formatCompact } from '../../lib/format-number.ts'
import { formatExact } from '../../lib/format-time.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { boundedMeasure, boundSuggestions } from './bound-values.ts'
import type { ArgumentField, FilterField } from './search.ts'
import type { Suggestion } from './suggest-box.tsx'

/** Filters with labels of their own. */
const FIXED: Partial<Readonly<Record<FilterField, readonly Suggestion[]>>> = {
  status: [
    { value: 'error', label: 'Failed' },
    { value: 'ok', label: 'OK' },
  ],
  flagged: [
    { value: 'true', label: 'Flagged' },
    { value: 'false', label: 'Not flagged' },
  ],
  growing: [
    { value: 'true', label: 'Growing' },
    { value: 'false', label: 'Complete' },
  ],
}
const YES_OR_NO: readonly Suggestion[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]
const SETTLED_MS = 120

/** The target of a filter: a field, the keys of metadata or arguments, or the values of one key. */
export type FacetOf =
  | { readonly kind: 'field'; readonly field: FilterField }
  | { readonly kind: 'keys'; readonly of: 'metadata' | ArgumentField }
  | { readonly kind: 'values'; readonly of: 'metadata' | ArgumentField; readonly key: string }

/** Existing values that match the typed text; empty if the service has none. */
export function useSuggestions(of: FacetOf, typed: string): readonly Suggestion[] {
  const field = of.kind === 'field' ? of.field : null
  const type = field === null ? null : field === 'option' ? 'option' : TRACE_FILTERS[field].type
  const fixed = field === null ? undefined : fixedValues(field)
  const isBound = field !== null && boundedMeasure(field) !== null
  const settled = useDebounced(typed, SETTLED_MS)
  const { data: clusters = [] } = useQuery({ ...clusterNamesQuery, enabled: type === 'cluster' })
  const { data: metrics = [] } = useQuery({ ...metricsQuery, enabled: type === 'metric' || type === 'option' })
  const rows = facetRows(of.kind === 'field' ? of.field : of.of)
  const { data: facets } = useQuery({
    ...facetsQuery(rows ?? 'traces', facetName(of), settled),
    enabled: rows !== null,
  })
  if (fixed !== undefined) return matching(fixed, typed)
  if (isBound) return boundSuggestions(field, typed)
  if (type === 'time') {
    const at = Date.parse(typed)
    return Number.isNaN(at) ? [] : [{ value: new Date(at).toISOString(), label: formatExact(at) }]
  }
  if (type === 'value') return typed.trim() !== '' && Number.isFinite(Number(typed)) ? [plain(typed.trim())] : []
  const found = (): readonly Suggestion[] => {
    if (type === 'option') return optionsOf(metrics)
    if (type === 'metric') return metrics.map(({ name }) => plain(name))
    if (type === 'cluster')
      return [
        ...clusters.map(({ id, label, size }) => ({ value: id as string, label, detail: formatCompact(size) })),
        plain(NO_CLUSTER),
      ]
    // The cache briefly returns the values of the previous field.
    if (facets?.field !== facetName(of)) return []
    return facets.values.map(({ value, count }) => ({ value, label: value, detail: formatCompact(count) }))
  }
  return matching(found(), typed)
}

/** The rows by which the service counts its values; null if it suggests none. */
export function facetRows(of: FilterField | ArgumentField | 'metadata'): 'traces' | 'steps' | null {
  if (of === 'metadata') return 'traces'
  const filter = TRACE_FILTERS[ownFilter(of)]
  if ('ofStep' in filter && 'many' in filter && filter.type !== 'choice') return 'steps'
  return (filter.takenBy as readonly string[]).includes('facets') ? 'traces' : null
}

function plain(value: string): Suggestion {
  return { value, label: value }
}

/** Each option once. */
function optionsOf(metrics: readonly Metric[]): readonly Suggestion[] {
  return [...new Set(metrics.flatMap(({ options }) => (options ?? []).map(({ value }) => value)))].map(plain)
}

function fixedValues(field: FilterField): readonly Suggestion[] | undefined {
  const filter = TRACE_FILTERS[field]
  const known = FIXED[field]
  if (known !== undefined) return known
  if (filter.type === 'choice') return filter.choices.map(plain)
  return filter.type === 'boolean' ? YES_OR_NO : undefined
}

function facetName(of: FacetOf): string {
  if (of.kind === 'field') return ownFilter(of.field)
  const name = of.of === 'metadata' ? of.of : ownFilter(of.of)
  return of.kind === 'keys' ? name : `${name}.${of.key}`
}

function matching(suggestions: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const wanted = typed.toLowerCase()
  return suggestions.filter(({ label }) => label.toLowerCase().includes(wanted))
}
