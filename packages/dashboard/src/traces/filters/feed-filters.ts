import { FILTER_VALUES_MAX } from '@spoor/contract/limits'
import { takesMany, TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { formatExact } from '../../lib/format-time.ts'
import { changed } from '../../lib/search.ts'
import { boundedMeasure, boundLabel } from './bound-values.ts'
import {
  ARGUMENT_FIELDS,
  type ArgumentField,
  type FeedSearch,
  FILTER_FIELDS,
  type FilterField,
  type MetadataFilter,
} from './search.ts'

/** One filter of the list, apart from time range and search. */
export type FeedFilter =
  /** Several values: any of them. */
  | { readonly kind: 'field'; readonly field: FilterField; readonly value: string | readonly string[] }
  /** Without a value: the key exists. */
  | { readonly kind: 'metadata'; readonly key: string; readonly value: string | null }
  | {
      readonly kind: 'argument'
      readonly field: ArgumentField
      readonly key: string
      readonly value: string | readonly string[]
    }

/** Names a filter; two of one name cannot both be set. */
export function filterName(filter: FeedFilter): string {
  if (filter.kind === 'field') return filter.field
  return `${filter.kind === 'metadata' ? 'metadata' : filter.field}.${filter.key}`
}

/** What a filter is about, for a reader. */
export function filterLabel(filter: FeedFilter): string {
  if (filter.kind === 'metadata') return filter.key
  const { label } = TRACE_FILTERS[filter.field]
  return filter.kind === 'field' ? label : `${label} ${filter.key}`
}

/** The displayed value of a filter; that of a cluster is its id. */
export function filterValueLabel(filter: FeedFilter): string {
  if (filter.kind === 'metadata') return filter.value ?? 'exists'
  if (typeof filter.value === 'object') return filter.value.join(' or ')
  if (filter.kind === 'argument') return String(filter.value)
  if (filter.field === 'status') return filter.value === 'error' ? 'failed' : filter.value
  if (TRACE_FILTERS[filter.field].type === 'boolean') return filter.value === 'true' ? 'yes' : 'no'
  if (TRACE_FILTERS[filter.field].type === 'time') return formatExact(Date.parse(filter.value))
  if (boundedMeasure(filter.field) !== null) return boundLabel(filter.field, Number(filter.value))
  return filter.value
}

export function filtersOf(search: FeedSearch): FeedFilter[] {
  const fields = FILTER_FIELDS.flatMap((field): FeedFilter[] => {
    const value = search[field]
    return value === undefined
      ? []
      : [{ kind: 'field', field, value: typeof value === 'object' ? value : String(value) }]
  })
  const metadata = (search.meta ?? []).map(([key, value]): FeedFilter => ({
    kind: 'metadata',
    key,
    value: value ?? null,
  }))
  const texts = ARGUMENT_FIELDS.flatMap((field) =>
    Object.entries(search[field] ?? {}).map(([key, value]): FeedFilter => ({ kind: 'argument', field, key, value })),
  )
  return [...fields, ...texts, ...metadata]
}

/** A field or key has one filter: a new one replaces it. */
export function withFilter(search: FeedSearch, filter: FeedFilter): FeedSearch {
  if (filter.kind === 'field') {
    return { ...search, [filter.field]: toValue(filter.field, filter.value) }
  }
  if (filter.kind === 'argument') {
    return { ...search, [filter.field]: { ...search[filter.field], [filter.key]: filter.value } }
  }
  const pair: MetadataFilter = filter.value === null ? [filter.key] : [filter.key, filter.value]
  const meta = search.meta ?? []
  const known = meta.some(([key]) => key === filter.key)
  return { ...search, meta: known ? meta.map((each) => (each[0] === filter.key ? pair : each)) : [...meta, pair] }
}

/** The filter, if it may have several values. */
export function ofManyValues(filter: FeedFilter): (FeedFilter & { readonly kind: 'field' | 'argument' }) | null {
  if (filter.kind === 'metadata') return null
  return filter.kind === 'argument' || takesMany(filter.field) ? filter : null
}

/** The filter with this value too, or without it if it has it. Null if no value is left. */
export function withToggled(
  filter: FeedFilter & { readonly kind: 'field' | 'argument' },
  value: string,
): FeedFilter | null {
  const values = [filter.value].flat()
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
  const [one] = next
  if (one === undefined) return null
  return { ...filter, value: next.length === 1 ? one : next.slice(0, FILTER_VALUES_MAX) }
}

/** `text` is a chosen value. */
function toValue(field: FilterField, text: string | readonly string[]): string | boolean | number | readonly string[] {
  if (typeof text === 'object') return text
  const { type } = TRACE_FILTERS[field]
  if (type === 'boolean') return text === 'true'
  return type === 'number' || type === 'value' ? Number(text) : text
}

export function withoutFilter(search: FeedSearch, filter: FeedFilter): FeedSearch {
  if (filter.kind === 'field') return changed(search, { [filter.field]: undefined })
  if (filter.kind === 'argument') {
    const { [filter.key]: _removed, ...others } = search[filter.field] ?? {}
    return changed(search, { [filter.field]: Object.keys(others).length === 0 ? undefined : others })
  }
  const left = search.meta?.filter(([key]) => key !== filter.key) ?? []
  return changed(search, { meta: left.length === 0 ? undefined : left })
}

/** Clears the filters and the search; keeps order and time range. */
export function withoutFilters(search: FeedSearch): FeedSearch {
  return filtersOf(search).reduce(withoutFilter, changed(search, { q: undefined }))
}

export function isFiltered(search: FeedSearch): boolean {
  return search.q !== undefined || filtersOf(search).length > 0
}
