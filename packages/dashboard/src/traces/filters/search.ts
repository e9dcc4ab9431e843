import { readTimeRangeSearch, type TimeRangeSearch } from '../../lib/time-range.ts'

/** A key that the metadata must have, and the value under it as the API takes it (`prod`, `1`, `"1"`). */
export type MetadataFilter = readonly [key: string] | readonly [key: string, value: string]

/** Fields of the URL that are filters of the API with one text each, named as there. */
export const TEXT_FIELDS = ['run_type', 'model', 'name', 'session_id', 'user_id', 'cluster'] as const
type TextField = (typeof TEXT_FIELDS)[number]

export const SORTS = ['created_at', 'duration_ms', 'total_tokens', 'step_count'] as const
export type Sort = (typeof SORTS)[number]

/** What the URL says about the feed: the parameters of the API where they have one text, `meta` for its pairs of keys and values. */
export interface FeedSearch extends TimeRangeSearch, Readonly<Partial<Record<TextField, string>>> {
  readonly q?: string
  readonly status?: 'ok' | 'error'
  readonly flagged?: boolean
  readonly meta?: readonly MetadataFilter[]
  /** Without it by the time of creation. */
  readonly sort?: Exclude<Sort, 'created_at'>
  /** Without it the newest or largest first. */
  readonly order?: 'asc'
  /** Without it new traces come in by themselves. */
  readonly live?: false
}

/** As many as the API takes. */
const METADATA_FILTERS_MAX = 32

/** What the URL says about the screen; what it cannot mean is left out. */
export function feedSearch(raw: Record<string, unknown>): FeedSearch {
  const { status, flagged, order, live } = raw
  const sort = SORTS.find((each) => each === raw['sort'])
  const meta = metadataFilters(raw['meta'])
  const texts = ['q' as const, ...TEXT_FIELDS].flatMap((field) => {
    const text = toText(raw[field])
    return text === '' ? [] : [[field, text] as const]
  })
  return {
    ...readTimeRangeSearch(raw),
    ...(Object.fromEntries(texts) as Partial<Record<TextField | 'q', string>>),
    ...(status === 'ok' || status === 'error' ? { status } : {}),
    ...(typeof flagged === 'boolean' ? { flagged } : {}),
    ...(meta.length > 0 ? { meta } : {}),
    ...(sort !== undefined && sort !== 'created_at' ? { sort } : {}),
    ...(order === 'asc' ? { order } : {}),
    ...(live === false ? { live } : {}),
  }
}

/** A number typed into the URL by hand is the text that it looks like. */
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
