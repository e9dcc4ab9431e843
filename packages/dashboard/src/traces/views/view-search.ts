import type { View, ViewQuery } from '@spoor/contract/schemas/view'
import { fromViewChart, toViewChart } from './view-chart.ts'
import { ARGUMENT_FIELDS, type FeedSearch, feedSearch, FILTER_FIELDS, type MetadataFilter } from '../filters/search.ts'

/** What is saved of an address: filters, order and chart as the API takes them, and everything else as it is. */
export function toViewBody(search: FeedSearch) {
  const { view: _view, live: _live, at: _at, group: _group, as, q, meta = [], sort, order, from, to, ...rest } = search
  const chart = as === 'chart' ? toViewChart(search) : null
  const inChart = chart === null ? {} : fromViewChart(chart)
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => isField(name)))
  const display = Object.fromEntries(Object.entries(rest).filter(([name]) => !isField(name) && !(name in inChart)))
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
  return { query: query as ViewQuery, form: as ?? 'table', ...(chart === null ? {} : { chart }), display } as const
}

type ShownView = Pick<View, 'query' | 'form'> & { readonly chart?: View['chart']; readonly display?: View['display'] }

/** The address of what a view shows, without its range. Drops what this version of the dashboard does not know. */
export function searchOfView({ query, form, chart = null, display }: ShownView): FeedSearch {
  const { metadata, start_time: from, end_time: to, ...fields } = query
  const meta = Object.entries(metadata ?? {}).map(([key, value]): MetadataFilter =>
    value === null ? [key] : [key, value],
  )
  return feedSearch({
    ...display,
    ...fields,
    ...(form === 'chart' && chart !== null ? fromViewChart(chart) : {}),
    as: form,
    from,
    to,
    meta,
  })
}

/** The address of a saved view. */
export function toViewSearch(view: View): FeedSearch {
  return withRange(feedSearch({ ...searchOfView(view), view: view.id }))
}

/** Whether the address differs from the view that it names. */
export function isChanged(search: FeedSearch, view: View): boolean {
  const shown = (of: FeedSearch) => JSON.stringify(toViewBody(withRange(feedSearch({ ...of }))))
  return shown(search) !== shown(toViewSearch(view))
}

/** A view that was saved without a range is of all time, whatever the range of the screen before. */
function withRange(search: FeedSearch): FeedSearch {
  return search.range === undefined && search.from === undefined ? { range: 'all', ...search } : search
}

function isField(name: string): boolean {
  return [...FILTER_FIELDS, ...ARGUMENT_FIELDS].some((field) => field === name)
}
