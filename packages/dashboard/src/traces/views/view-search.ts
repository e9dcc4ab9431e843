import type { View, ViewQuery } from '@spoor/contract/schemas/view'
import { ARGUMENT_FIELDS, type FeedSearch, feedSearch, FILTER_FIELDS, type MetadataFilter } from '../filters/search.ts'

/** What is saved of an address: filters and order as the API takes them, and everything else as it is. */
export function toViewBody(search: FeedSearch): Pick<View, 'query' | 'display'> {
  const { view: _view, live: _live, at: _at, group: _group, q, meta = [], sort, order, from, to, ...rest } = search
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => isField(name)))
  const display = Object.fromEntries(Object.entries(rest).filter(([name]) => !isField(name)))
  const given = {
    ...fields,
    q,
    sort,
    order,
    start_time: from,
    end_time: to,
    metadata: meta.length === 0 ? undefined : Object.fromEntries(meta.map(([key, value]) => [key, value ?? null])),
  }
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { query: query as ViewQuery, display }
}

/** The address of a view. Drops what this version of the dashboard does not know. */
export function toViewSearch({ id, query, display }: View): FeedSearch {
  const { metadata, start_time: from, end_time: to, ...fields } = query
  const meta = Object.entries(metadata ?? {}).map(([key, value]): MetadataFilter =>
    value === null ? [key] : [key, value],
  )
  return withRange(feedSearch({ ...display, ...fields, from, to, meta, view: id }))
}

/** Whether the address differs from the view that it names. */
export function isChanged(search: FeedSearch, view: View): boolean {
  const { live: _live, at: _at, group: _group, ...shown } = search
  return JSON.stringify(withRange(feedSearch({ ...shown }))) !== JSON.stringify(toViewSearch(view))
}

/** A view that was saved without a range is of all time, whatever the range of the screen before. */
function withRange(search: FeedSearch): FeedSearch {
  return search.range === undefined && search.from === undefined ? { range: 'all', ...search } : search
}

function isField(name: string): boolean {
  return [...FILTER_FIELDS, ...ARGUMENT_FIELDS].some((field) => field === name)
}
