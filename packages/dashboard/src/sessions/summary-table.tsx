import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { TraceSession, TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { formatCompact, formatCost, formatCostShort, formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { Sparkline } from '../ui/charts/sparkline.tsx'
import { SortButton } from '../ui/sort-button.tsx'
import { Time } from '../ui/time.tsx'
import type { SummarySearch, SummarySort } from './search.ts'
import type { Activity } from './use-activity.ts'

const CELL = 'px-4 py-2.5 align-top'
const NUMBER = `${CELL} text-right whitespace-nowrap tabular-nums max-md:hidden`

type Row = TraceSession | TraceUser

interface Figure {
  readonly label: string
  readonly sort: SummarySort
  /** Null for a row without it; a column that no row has is left out. */
  of(row: Row): string | null
  titleOf?(row: Row): string
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

interface SummaryTableProps {
  readonly of: 'sessions' | 'users'
  readonly rows: readonly Row[]
  /** All sessions are of one user, who is not repeated. */
  readonly ofOneUser?: boolean
  /** Undefined: no such column. */
  readonly activity?: Activity | undefined
  /** Their order. */
  readonly search?: Pick<SummarySearch, 'sort' | 'order'>
  /** Undefined: the order is fixed. */
  onSort?(sort: SummarySort): void
}

const HEADINGS = {
  sessions: { title: 'Sessions', one: 'Session', others: 'Users' },
  users: { title: 'Users', one: 'User', others: 'Sessions' },
}

export function SummaryTable({ of, rows, ofOneUser = false, activity, search = {}, onSort }: SummaryTableProps) {
  const { title, one, others } = HEADINGS[of]
  const table = useRef<HTMLTableElement>(null)
  useRowKeys(title, table)
  const figures = FIGURES.filter((each) => each.sort === search.sort || rows.some((row) => each.of(row) !== null))
  const hasOthers = !ofOneUser && rows.some((row) => !('user_ids' in row) || row.user_ids.length > 0)
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
          <SummaryRow key={idOf(row)} {...{ row, figures, hasOthers, activity }} />
        ))}
      </tbody>
    </table>
  )
}

const idOf = (row: Row) => ('session_id' in row ? row.session_id : row.user_id)

interface SummaryRowProps {
  readonly row: Row
  readonly figures: readonly Figure[]
  readonly hasOthers: boolean
  readonly activity: Activity | undefined
}

function SummaryRow({ row, figures, hasOthers, activity }: SummaryRowProps) {
  const { trace_count: traces, error_count: failed, cost_usd: cost } = row
  const counts = activity?.get(idOf(row))
  const link = { 'data-row': '', className: 'block truncate font-medium after:absolute after:inset-0' }
  const name = <bdi>{idOf(row)}</bdi>
  return (
    <tr className="hover:bg-hover focus-within:bg-hover relative border-b">
      <td className={`${CELL} w-full max-w-0 lg:w-1/2`} title={idOf(row)}>
        {'session_id' in row ? (
          <Link {...link} to="/app/sessions/$sessionId" params={{ sessionId: row.session_id }}>
            {name}
          </Link>
        ) : (
          <Link {...link} to="/app/users/$userId" params={{ userId: row.user_id }}>
            {name}
          </Link>
        )}
        <p className="text-muted text-xs md:hidden">
          {countOf(traces, 'trace')}
          {failed > 0 && <span className="text-fail"> · {formatCount(failed)} failed</span>}
          {cost !== null && ` · ${formatCost(cost)}`}
        </p>
      </td>
      {hasOthers && <Others row={row} />}
      {activity !== undefined && (
        <td className={CELL}>
          {counts !== undefined && <Sparkline values={counts} kind="bars" className="h-5 w-32" />}
        </td>
      )}
      {figures.map(({ label, sort, of, titleOf }) => (
        <td
          key={label}
          className={`${NUMBER} ${sort !== 'error_count' ? '' : failed > 0 ? 'text-fail font-medium' : 'text-muted'}`}
          title={titleOf?.(row)}
        >
          {of(row) ?? '–'}
        </td>
      ))}
      <td className={`${CELL} text-right`}>
        <Time at={row.last_at} className="text-muted" />
      </td>
    </tr>
  )
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
