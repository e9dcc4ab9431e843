import { LOOK_STORED_AS } from '../../api/client/first-rows.ts'
import { parseJson } from '../../lib/parse-json.ts'
import {
  type ColumnId,
  FIXED_COLUMNS,
  type FixedColumnId,
  inTableOrder,
  metadataColumn,
  metricColumn,
  USUAL_COLUMNS,
} from './columns.ts'

export type Lines = 1 | 2

export interface ListLook {
  readonly columns: readonly ColumnId[]
  /** Lines of a row: with two, input and output are below the other columns. */
  readonly lines: Lines
}

/** The same in the URL; what is missing is as the reader chose it last. */
export interface LookSearch {
  /**
   * Ids of columns with commas between. That of a metadata key is `meta:` and the key, URI-encoded; of a metric
   * `metric:` and its name.
   */
  readonly columns?: string
  readonly lines?: Lines
}

/** What ids begin with that go on with a name. */
const NAMED = { 'meta:': metadataColumn, 'metric:': metricColumn } as const
type NamedPrefix = keyof typeof NAMED
/** Windows where all columns fit into one line, which is then the default. */
export const FITS_ONE_LINE = '(min-width: 1700px)'

/** Parses the URL; drops invalid values. */
export function lookSearch(raw: Record<string, unknown>): LookSearch {
  const { columns, lines } = raw
  return {
    ...(typeof columns === 'string' && columns !== '' ? { columns } : {}),
    ...(isLines(lines) ? { lines } : {}),
  }
}

export function shownLook(
  { columns, lines }: LookSearch,
  storage: Pick<Storage, 'getItem'>,
  fitsOneLine = false,
): ListLook {
  const stored = lookSearch(readObject(storage.getItem(LOOK_STORED_AS)))
  const text = columns ?? stored.columns
  return {
    columns: text === undefined ? USUAL_COLUMNS : readColumns(text),
    lines: lines ?? stored.lines ?? (fitsOneLine ? 1 : 2),
  }
}

/** For the URL, which is to show the same to another reader. */
export function toLookSearch({ columns, lines }: ListLook): Required<LookSearch> {
  return { columns: columns.map(printColumn).join(','), lines }
}

export function storeLook(storage: Pick<Storage, 'setItem'>, look: ListLook): void {
  storage.setItem(LOOK_STORED_AS, JSON.stringify(toLookSearch(look)))
}

function readColumns(text: string): readonly ColumnId[] {
  return inTableOrder(
    text.split(',').flatMap((id): readonly ColumnId[] => {
      const prefix = prefixOf(id)
      if (prefix === null) return isFixed(id) ? [id] : []
      const name = decodeName(id.slice(prefix.length))
      return name === null || name === '' ? [] : [NAMED[prefix](name)]
    }),
  )
}

function printColumn(id: ColumnId): string {
  const prefix = prefixOf(id)
  return prefix === null ? id : prefix + encodeURIComponent(id.slice(prefix.length))
}

function prefixOf(id: string): NamedPrefix | null {
  return (Object.keys(NAMED) as NamedPrefix[]).find((prefix) => id.startsWith(prefix)) ?? null
}

function isFixed(id: string): id is FixedColumnId {
  return (FIXED_COLUMNS as readonly string[]).includes(id)
}

function isLines(value: unknown): value is Lines {
  return value === 1 || value === 2
}

/** Null for a text that is no URI component. */
function decodeName(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function readObject(stored: string | null): Record<string, unknown> {
  const value = parseJson(stored ?? 'null')
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
