import { LISTED_METRICS_MAX } from '@spoor/contract/limits'
import type { SeriesRows } from '@spoor/contract/series-fields'

const BOTH = ['created_at', 'duration_ms', 'total_tokens', 'cost_usd'] as const
/** What each list may be sorted by. */
export const SORTS = { traces: [...BOTH, 'step_count'], steps: [...BOTH, 'started_at'] } as const
export type Sort = (typeof SORTS)[SeriesRows][number]

const FIXED_IDS = [
  'status',
  'name',
  'run_type',
  'input',
  'output',
  'started_at',
  'created_at',
  'duration_ms',
  'step_count',
  'total_tokens',
  'cost_usd',
  'models',
  'session_id',
  'user_id',
  'metadata',
  'attachments',
  'flagged',
] as const
export type FixedColumnId = (typeof FIXED_IDS)[number]
type MetadataColumnId = `meta:${string}`
type MetricColumnId = `metric:${string}`
export type ColumnId = FixedColumnId | MetadataColumnId | MetricColumnId

/** What a row shows on its second line, if it has one. */
export const TEXT_COLUMNS: ReadonlySet<ColumnId> = new Set(['input', 'output'])
export const FIXED_COLUMNS: readonly FixedColumnId[] = FIXED_IDS

export interface Column {
  readonly label: string
  /** A track of the CSS grid. */
  readonly width: string
  /** The minimum width in pixels, from which the table's scroll width follows. */
  readonly minPx: number
  readonly sort?: Sort
  readonly numeric?: true
  /** Hidden until it is chosen. */
  readonly optional?: true
}

function fixed(label: string, px: number, more: Omit<Partial<Column>, 'label' | 'width' | 'minPx'> = {}): Column {
  return { label, width: `${px}px`, minPx: px, ...more }
}

const COLUMNS: Readonly<Record<FixedColumnId, Column>> = {
  status: fixed('Status', 64),
  name: { label: 'Name', width: 'minmax(160px, 4fr)', minPx: 160 },
  run_type: fixed('Type', 76, { optional: true }),
  input: { label: 'Input', width: 'minmax(180px, 5fr)', minPx: 180 },
  output: { label: 'Output', width: 'minmax(180px, 5fr)', minPx: 180 },
  started_at: fixed('Started', 84, { optional: true }),
  created_at: fixed('Received', 84, { sort: 'created_at' }),
  duration_ms: fixed('Duration', 80, { sort: 'duration_ms', numeric: true }),
  step_count: fixed('Steps', 60, { sort: 'step_count', numeric: true }),
  total_tokens: fixed('Tokens', 64, { sort: 'total_tokens', numeric: true }),
  cost_usd: fixed('Cost', 64, { sort: 'cost_usd', numeric: true }),
  models: { label: 'Models', width: 'minmax(120px, 2fr)', minPx: 120 },
  session_id: { label: 'Session', width: 'minmax(100px, 2fr)', minPx: 100, optional: true },
  user_id: { label: 'User', width: 'minmax(100px, 2fr)', minPx: 100, optional: true },
  metadata: { label: 'Metadata', width: 'minmax(180px, 4fr)', minPx: 180, optional: true },
  attachments: fixed('Files', 40, { numeric: true, optional: true }),
  flagged: fixed('Flagged', 56, { optional: true }),
}

export function columnOf(id: ColumnId): Column {
  const metric = metricNameOf(id)
  if (metric !== null) return { label: metric, width: 'minmax(80px, 1fr)', minPx: 80 }
  const key = metadataKeyOf(id)
  return key === null ? COLUMNS[id as FixedColumnId] : { label: key, width: 'minmax(110px, 2fr)', minPx: 110 }
}

export function metadataColumn(key: string): MetadataColumnId {
  return `meta:${key}`
}

/** Null for a column of the trace itself. */
export function metadataKeyOf(id: ColumnId): string | null {
  return id.startsWith('meta:') ? id.slice('meta:'.length) : null
}

export function metricColumn(name: string): MetricColumnId {
  return `metric:${name}`
}

/** Null for another column. */
export function metricNameOf(id: ColumnId): string | null {
  return id.startsWith('metric:') ? id.slice('metric:'.length) : null
}

export const USUAL_COLUMNS: readonly ColumnId[] = FIXED_IDS.filter((id) => COLUMNS[id].optional !== true)

const METADATA_COLUMNS_MAX = 12

/** In table order: those of metrics and metadata, as they were chosen, before all metadata. Always with the name. */
export function inTableOrder(chosen: readonly ColumnId[]): readonly ColumnId[] {
  const metrics = [...new Set(chosen.filter((id) => metricNameOf(id) !== null))].slice(0, LISTED_METRICS_MAX)
  const metadata = [...new Set(chosen.filter((id) => metadataKeyOf(id) !== null))].slice(0, METADATA_COLUMNS_MAX)
  const own = FIXED_IDS.filter((id) => id === 'name' || chosen.includes(id))
  const before = own.findIndex((id) => id === 'metadata' || id === 'attachments' || id === 'flagged')
  const at = before === -1 ? own.length : before
  return [...own.slice(0, at), ...metrics, ...metadata, ...own.slice(at)]
}
