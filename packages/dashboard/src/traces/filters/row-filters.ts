import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { FeedFilter } from './feed-filters.ts'
import { FILTER_FIELDS, type FilterField } from './search.ts'
import { toMetadataFilterValue } from '../list/metadata-value.ts'

/** A longer menu is hard to use. */
const MAX = 30

/** The name comes first. */
const FIELDS: readonly FilterField[] = ['name', ...FILTER_FIELDS.filter((field) => field !== 'name')]

/** All filters that match a trace. */
export function filtersOfRow(row: TraceRow): FeedFilter[] {
  return [
    ...FIELDS.flatMap((field) => valuesOf(row, field).map((value): FeedFilter => ({ kind: 'field', field, value }))),
    ...Object.entries(row.metadata).map(([key, value]) => metadataFilter(key, value)),
  ].slice(0, MAX)
}

/** Empty if the trace lacks the field. */
function valuesOf(row: TraceRow, field: FilterField): readonly string[] {
  if (field === 'model') return row.models
  const value: unknown = row[field as keyof TraceRow]
  return typeof value === 'string' ? [value] : []
}

export function metadataFilter(key: string, value: unknown): FeedFilter {
  return { kind: 'metadata', key, value: toMetadataFilterValue(value) }
}
