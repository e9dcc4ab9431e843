import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { FeedFilter, FilterField } from './feed-filters.ts'
import { toMetadataFilterValue } from '../list/metadata-value.ts'

/** More are rarely looked for in a menu. */
const MOST = 30

/** Everything about a trace that the feed can be filtered by. */
export function filtersOfRow(row: TraceRow): FeedFilter[] {
  const field = (name: FilterField, value: string | null): FeedFilter[] =>
    value === null ? [] : [{ kind: 'field', field: name, value }]
  return [
    ...field('name', row.name),
    ...field('status', row.status),
    ...field('run_type', row.run_type),
    ...row.models.flatMap((model) => field('model', model)),
    ...field('session_id', row.session_id),
    ...field('user_id', row.user_id),
    ...Object.entries(row.metadata).map(([key, value]) => metadataFilter(key, value)),
  ].slice(0, MOST)
}

export function metadataFilter(key: string, value: unknown): FeedFilter {
  return { kind: 'metadata', key, value: toMetadataFilterValue(value) }
}
