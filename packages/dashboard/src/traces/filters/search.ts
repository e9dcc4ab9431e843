import { FILTER_VALUES_MAX } from '@spoor/contract/limits'
import {
  type FilterNameOf,
  filtersTakenBy,
  filterType,
  takesMany,
  type Texts,
  TRACE_FILTERS,
  type WireFilters,
} from '@spoor/contract/trace-filters'
import { chartSearch, type ChartSearch } from '../../lib/chart-search.ts'
import { readTimeRangeSearch, type TimeRangeSearch } from '../../lib/time-range.ts'
import { type LookSearch, lookSearch } from '../list/list-look.ts'
import { type Sort, SORTS } from '../list/columns.ts'

/** A required metadata key, and its value in API form (`prod`, `1`, `"1"`). */
export type MetadataFilter = readonly [key: string] | readonly [key: string, value: string]

/** Parameters that are filters of the API, with the same names. */
export type FilterField = Exclude<FilterNameOf<'lists'>, 'argument' | 'not_argument'>
export const FILTER_FIELDS = filtersTakenBy('lists').filter(
  (field): field is FilterField => filterType(field) !== 'texts',
)

/** Filters by arguments of calls of tools: their values by key. */
export const ARGUMENT_FIELDS = ['argument', 'not_argument'] as const
export type ArgumentField = (typeof ARGUMENT_FIELDS)[number]

/** How the query is shown, if not as a table of traces. */
const FORMS = ['steps', 'chart'] as const

/**
 * The URL parameters of the list: the API's, as a list where a filter has several values (`?model=["a","b"]`), and
 * `meta` for metadata filters.
 */
export interface FeedSearch
  extends
    TimeRangeSearch,
    LookSearch,
    ChartSearch,
    Readonly<WireFilters<FilterField>>,
    Readonly<Partial<Record<ArgumentField, Texts>>> {
  readonly as?: (typeof FORMS)[number]
  readonly q?: string
  readonly meta?: readonly MetadataFilter[]
  /** Default: by time of creation. */
  readonly sort?: Exclude<Sort, 'created_at'>
  /** Default: newest or largest first. */
  readonly order?: 'asc'
  /** Default: new traces appear automatically. */
  readonly live?: false
  /** The saved view that was opened; filters may have changed since. */
  readonly view?: string
}

/** The maximum of the API. */
const METADATA_FILTERS_MAX = 32

/** Parses the URL of the screen; drops invalid values. */
export function feedSearch(raw: Record<string, unknown>): FeedSearch {
  const { order, live, view } = raw
  const sort = [...SORTS.traces, ...SORTS.steps].find((each) => each === raw['sort'])
  const meta = metadataFilters(raw['meta'])
  const q = toText(raw['q'])
  const fields = FILTER_FIELDS.map((field) => [field, toFilterValue(field, raw[field])] as const)
  const texts = ARGUMENT_FIELDS.map((field) => [field, toTexts(raw[field])] as const)
  const form = FORMS.find((each) => each === raw['as'])
  return {
    ...readTimeRangeSearch(raw),
    ...lookSearch(raw),
    ...chartSearch(raw),
    ...(form === undefined ? {} : { as: form }),
    ...(q === '' ? {} : { q }),
    ...(Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as WireFilters<FilterField>),
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    ...(meta.length > 0 ? { meta } : {}),
    ...(sort !== undefined && sort !== 'created_at' ? { sort } : {}),
    ...(order === 'asc' ? { order } : {}),
    ...(live === false ? { live } : {}),
    ...(typeof view === 'string' && view.startsWith('view_') ? { view } : {}),
  }
}

function toFilterValue(field: FilterField, raw: unknown): string | boolean | number | readonly string[] | undefined {
  const filter = TRACE_FILTERS[field]
  if (filter.type === 'boolean') return typeof raw === 'boolean' ? raw : undefined
  if (filter.type === 'number') return Number.isSafeInteger(raw) && Number(raw) >= 0 ? Number(raw) : undefined
  if (filter.type === 'value') return Number.isFinite(raw) ? Number(raw) : undefined
  if (filter.type === 'time') return Number.isNaN(Date.parse(toText(raw))) ? undefined : toText(raw)
  const texts = takesMany(field) || !Array.isArray(raw) ? toFilterTexts(raw) : undefined
  const isKnown = (text: string) => filter.type !== 'choice' || (filter.choices as readonly string[]).includes(text)
  return texts === undefined || [texts].flat().every(isKnown) ? texts : undefined
}

/** One text, or several. */
function toFilterTexts(raw: unknown): string | readonly string[] | undefined {
  const texts = [raw].flat().map(toText)
  const given = texts.filter((text) => text !== '')
  return given.length > 1 ? given.slice(0, FILTER_VALUES_MAX) : given[0]
}

function toTexts(raw: unknown): Texts | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined
  const entries = Object.entries(raw).flatMap(([key, value]) => {
    const texts = toFilterTexts(value)
    return key === '' || texts === undefined ? [] : [[key, texts] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries.slice(0, FILTER_VALUES_MAX))
}

/** A number typed into the URL is text. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function metadataFilters(raw: unknown): MetadataFilter[] {
  if (!Array.isArray(raw)) return []
  const found = raw.flatMap((each: unknown): MetadataFilter[] => {
    if (!Array.isArray(each)) return []
    const [key, value] = each.map(toText)
    if (key === undefined || key === '') return []
    return [value === undefined ? [key] : [key, value]]
  })
  return found.slice(0, METADATA_FILTERS_MAX)
}
