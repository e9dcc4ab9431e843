import type { Sort } from '../filters/search.ts'

export const COLUMN_IDS = [
  'status',
  'name',
  'run_type',
  'created_at',
  'duration_ms',
  'step_count',
  'total_tokens',
  'models',
  'session_id',
  'user_id',
  'metadata',
  'attachments',
  'flagged',
] as const
export type ColumnId = (typeof COLUMN_IDS)[number]

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

export const COLUMNS: Readonly<Record<ColumnId, Column>> = {
  status: fixed('Status', 64),
  name: { label: 'Name', width: 'minmax(160px, 4fr)', minPx: 160 },
  run_type: fixed('Type', 76),
  created_at: fixed('Received', 84, { sort: 'created_at' }),
  duration_ms: fixed('Duration', 80, { sort: 'duration_ms', numeric: true }),
  step_count: fixed('Steps', 60, { sort: 'step_count', numeric: true }),
  total_tokens: fixed('Tokens', 64, { sort: 'total_tokens', numeric: true }),
  models: { label: 'Models', width: 'minmax(120px, 2fr)', minPx: 120 },
  session_id: { label: 'Session', width: 'minmax(100px, 2fr)', minPx: 100, optional: true },
  user_id: { label: 'User', width: 'minmax(100px, 2fr)', minPx: 100, optional: true },
  metadata: { label: 'Metadata', width: 'minmax(180px, 4fr)', minPx: 180 },
  attachments: fixed('Files', 40, { numeric: true, optional: true }),
  flagged: fixed('Flagged', 56),
}

const STORED_AS = 'spoor.feed-columns'

/** The chosen columns in table order; always with the name. */
export function storedColumns(storage: Pick<Storage, 'getItem'>): readonly ColumnId[] {
  const chosen = readList(storage.getItem(STORED_AS))
  return COLUMN_IDS.filter((id) => id === 'name' || (chosen?.includes(id) ?? COLUMNS[id].optional !== true))
}

export function storeColumns(storage: Pick<Storage, 'setItem'>, chosen: readonly ColumnId[]): void {
  storage.setItem(STORED_AS, JSON.stringify(chosen))
}

function readList(stored: string | null): readonly unknown[] | null {
  try {
    const list: unknown = JSON.parse(stored ?? 'null')
    return Array.isArray(list) ? list : null
  } catch {
    return null
  }
}
