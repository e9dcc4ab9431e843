import type { DeletionBody } from '@spoor/contract/schemas/deletion'
import { type Filters, toBounds } from '../api/client/feed.ts'
import { toTimeRange } from '../lib/time-range.ts'
import { toFeedRequest } from './list/feed-request.ts'
import { ARGUMENT_FIELDS, type FeedSearch, FILTER_FIELDS } from './filters/search.ts'

/** The filters of the list as the body of a deletion. */
export function toDeletionBody(search: FeedSearch): DeletionBody {
  const names = ['q', ...FILTER_FIELDS, ...ARGUMENT_FIELDS] as const
  const given = Object.fromEntries(names.map((name) => [name, search[name]] as const))
  const body = { ...given, ...toBounds(toTimeRange(search, 'all')), ...metadataOf(toFeedRequest(search).metadata) }
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== null),
  ) as DeletionBody
}

/** The n-th value belongs to the n-th key, so keys without a value are last. */
function metadataOf(metadata: Filters['metadata']) {
  if (metadata.length === 0) return {}
  const ordered = [...metadata.filter(({ length }) => length === 2), ...metadata.filter(({ length }) => length === 1)]
  return { meta_key: ordered.map(([key]) => key), meta_value: ordered.flatMap(([, value]) => value ?? []) }
}
