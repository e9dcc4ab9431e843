import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { TraceSession, TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { formatCompact, formatCost, formatCostShort, formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { useEmpty } from '../lib/hooks/use-empty.ts'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { sumOf } from '../lib/series-data.ts'
import { Sparkline } from '../ui/charts/sparkline.tsx'
import { SortButton } from '../ui/sort-button.tsx'
import { Time } from '../ui/time.tsx'
import { ErrorChips } from './error-chips.tsx'
import type { SummarySearch, SummarySort } from './search.ts'
import type { Activity, Errors } from './use-activity.ts'

const CELL = 'px-4 py-2.5 align-top'
const NUMBER = `${CELL} text-right whitespace-nowrap tabular-nums max-md:hidden`

type Row = TraceSession | TraceUser
/** What a row amounts to, or several together. */
type Figures = Pick<TraceUser, 'trace_count' | 'step_count' | 'error_count' | 'cost_usd' | 'mean_duration_ms'> & {
  readonly token_usage: Pick<TraceUser['token_usage'], 'input' | 'output' | 'total'>
}

interface Figure {
  readonly label: string
  readonly sort: SummarySort
  /** Null for a row without it; a column that no row has is left out. */
  of(row: Figures): string | null
  titleOf?(row: Figures): string
}

const FIGURES: readonly Figure[] = [
  { label: 'Traces', sort: 'trace_count', of: ({ trace_count: count }) => formatCount(count) },
  { label: 'Failed', sort: 'error_count', of: ({ error_count: count }) => formatCount(count) },
  { label: 'Steps', sort: 'step_count', of: ({ step_count: count }) => formatCount(count) },
  {
    label: 'Tokens',
    sort: 'total_tokens',
    of: ({ token_usage: { total } }) => (total === 0 ? null : formatCompact(total)),
    titleOf: ({ token_usage: { input, output } }) => `${formatCount(input)} in, ${formatCount(output)} out`,
  },
  { label: 'Cost', sort: 'cost_usd', of: ({ cost_usd: usd }) => (usd === null ? null : formatCostShort(usd)) },
  {
    label: 'Duration',
    sort: 'mean_duration_ms',
    of: ({ mean_duration_ms: ms }) => (ms === null ? null : formatDuration(ms)),
    titleOf: () => 'The mean of its traces',
  },
]

interface Column {
  of(row: Row): string | null
}

/** The users of sessions, or the number of sessions of users. */
const OTHERS: Column = { of: (row) => ('user_ids' in row && row.user_ids.length === 0 ? null : idOf(row)) }
const COLUMNS: readonly Column[] = [...FIGURES, OTHERS]

const emptyAmong = (columns: readonly Column[], rows: readonly Row[]) =>
  columns.filter(({ of }) => !rows.some((row) => of(row) !== null))

/** Error types of a row that are shown. */
const ERRORS_SHOWN = 3

interface SummaryTableProps {
  readonly of: 'sessions' | 'users'
  readonly rows: readonly Row[]
  /** Identifies the list, in any order; null while the rows are those of another one. */
  readonly listKey: string | null
  /** All sessions are of one user, who is not repeated. */
  readonly ofOneUser?: boolean
  /** Undefined: no such column. */
  readonly activity?: Activity | undefined
  readonly errors?: Errors | undefined
  /** Called with the id of a row and the type of an error of it. */
  readonly onError?: ((id: string, type: string) => void) | undefined
  /** Their order. */
  readonly search?: Pick<SummarySearch, 'sort' | 'order'>
  /** Undefined: the order is fixed. */
  onSort?(sort: SummarySort): void
}

const HEADINGS = {
  sessions: { title: 'Sessions', one: 'Session', others: 'Users' },
  users: { title: 'Users', one: 'User', others: 'Sessions' },
}

export function SummaryTable(props: SummaryTableProps) {
  const { of, rows, listKey, ofOneUser = false, activity, errors, search = {}, onSort, onError } = props
  const { title, one, others } = HEADINGS[of]
  const table = useRef<HTMLTableElement>(null)
  useRowKeys(title, table)
  const empty = useEmpty(listKey, COLUMNS, rows, emptyAmong)
  const figures = FIGURES.filter((each) => each.sort === search.sort || !empty.includes(each))
  const hasOthers = !ofOneUser && !empty.includes(OTHERS)
  const head = (label: string, className: string, sort?: SummarySort) => {
    const sorts = sort !== undefined && onSort !== undefined
    const turned = search.order === 'asc' ? 'ascending' : 'descending'
    const sorted = (search.sort ?? 'last_at') === sort ? turned : 'none'
    return (
      <th
        key={label}
        scope="col"
        className={`px-4 py-2 font-medium ${className}`}
        {...(sorts ? { 'aria-sort': sorted } : {})}
      >
        {sorts ? <SortButton label={label} sorted={sorted} onSort={() => onSort(sort)} /> : label}
      </th>
    )
  }
  return (
    <table ref={table} aria-label={title} className="w-full text-sm">
      <thead>
        <tr className="text-muted border-b text-left text-xs">
          {head(one, '')}
          {hasOthers && head(others, 'max-lg:hidden')}
          {activity !== undefined && head('Traces over time', 'whitespace-nowrap')}
          {figures.map(({ label, sort }) => head(label, 'w-20 text-right max-md:hidden', sort))}
          {head('Last trace', 'w-32 text-right whitespace-nowrap', 'last_at')}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <SummaryRow key={idOf(row)} {...{ row, figures, hasOthers, activity, errors, onError }} />
        ))}
      </tbody>
      {!ofOneUser && rows.length > 1 && (
        <tfoot className="font-medium">
          <tr>
            <td className={CELL}>
              Total of the {formatCount(rows.length)} listed
              <Summary of={totalOf(rows)} />
            </td>
            {hasOthers && <td className="max-lg:hidden" />}
            {activity !== undefined && <td />}
            <FigureCells figures={figures} of={totalOf(rows)} />
            <td />
          </tr>
        </tfoot>
      )}
    </table>
  )
}

const idOf = (row: Row) => ('session_id' in row ? row.session_id : row.user_id)

/** The mean duration of several is unknown: it is not known how many traces have one. */
function totalOf(rows: readonly Row[]): Figures {
  const sum = (of: (row: Row) => number) => sumOf(rows.map(of))
  return {
    trace_count: sum((row) => row.trace_count),
    step_count: sum((row) => row.step_count),
    error_count: sum((row) => row.error_count),
    token_usage: {
      input: sum(({ token_usage: { input } }) => input),
      output: sum(({ token_usage: { output } }) => output),
      total: sum(({ token_usage: { total } }) => total),
    },
    cost_usd: rows.every(({ cost_usd: usd }) => usd === null) ? null : sum(({ cost_usd: usd }) => usd ?? 0),
    mean_duration_ms: null,
  }
}

interface SummaryRowProps extends Pick<SummaryTableProps, 'activity' | 'errors' | 'onError'> {
  readonly row: Row
  readonly figures: readonly Figure[]
  readonly hasOthers: boolean
}

function SummaryRow({ row, figures, hasOthers, activity, errors, onError }: SummaryRowProps) {
  const id = idOf(row)
  const counts = activity?.get(id)
  const types = errors?.get(id)
  const link = { 'data-row': '', className: 'block truncate font-medium after:absolute after:inset-0' }
  const name = <bdi>{id}</bdi>
  return (
    <tr className="hover:bg-hover focus-within:bg-hover relative border-b">
      <td className={`${CELL} w-full max-w-0 lg:w-1/2`} title={id}>
        {'session_id' in row ? (
          <Link {...link} to="/app/sessions/$sessionId" params={{ sessionId: row.session_id }}>
            {name}
          </Link>
        ) : (
          <Link {...link} to="/app/users/$userId" params={{ userId: row.user_id }}>
            {name}
          </Link>
        )}
        <Summary of={row} />
        {types !== undefined && onError !== undefined && (
          <p className="relative z-1 flex w-fit max-w-full flex-wrap gap-1">
            <ErrorChips errors={types.slice(0, ERRORS_SHOWN)} onChoose={(type) => onError(id, type)} />
          </p>
        )}
      </td>
      {hasOthers && <Others row={row} />}
      {activity !== undefined && (
        <td className={CELL}>
          {counts !== undefined && <Sparkline values={counts} kind="bars" className="h-5 w-32" />}
        </td>
      )}
      <FigureCells figures={figures} of={row} />
      <td className={`${CELL} text-right`}>
        <Time at={row.last_at} className="text-muted" />
      </td>
    </tr>
  )
}

/** In place of the columns of figures, where there is no room for them. */
function Summary({ of: { trace_count: traces, error_count: failed, cost_usd: cost } }: { of: Figures }) {
  return (
    <p className="text-muted text-xs font-normal md:hidden">
      {countOf(traces, 'trace')}
      {failed > 0 && <span className="text-fail"> · {formatCount(failed)} failed</span>}
      {cost !== null && ` · ${formatCost(cost)}`}
    </p>
  )
}

function FigureCells({ figures, of: row }: { figures: readonly Figure[]; of: Figures }) {
  return figures.map(({ label, sort, of, titleOf }) => (
    <td
      key={label}
      className={`${NUMBER} ${sort !== 'error_count' ? '' : row.error_count > 0 ? 'text-fail font-medium' : 'text-muted'}`}
      title={titleOf?.(row)}
    >
      {of(row) ?? '–'}
    </td>
  ))
}

/** The users of a session, or the number of a user's sessions. */
function Others({ row }: { row: Row }) {
  const users = 'session_id' in row ? row.user_ids : null
  return (
    <td
      className={`${CELL} w-1/2 max-w-0 truncate max-lg:hidden`}
      title={users === null ? '' : users.join('\n').slice(0, 1000)}
    >
      {'session_count' in row && formatCount(row.session_count)}
      {users?.length === 0 && '–'}
      {users !== null && users.length > 0 && <bdi>{users.slice(0, 20).join(', ')}</bdi>}
    </td>
  )
}

/** "1 trace", "2 traces". */
export function countOf(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`
}
