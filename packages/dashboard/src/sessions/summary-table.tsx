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

const FIGURES = [
  ['Traces', 'trace_count'],
  ['Failed', 'error_count'],
  ['Steps', 'step_count'],
  ['Tokens', 'total_tokens'],
  ['Cost', 'cost_usd'],
  ['Duration', 'mean_duration_ms'],
] as const
type Row = TraceSession | TraceUser

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
          {!ofOneUser && head(others, 'max-lg:hidden')}
          {activity !== undefined && head('Traces over time', 'whitespace-nowrap')}
          {FIGURES.map(([label, sort]) => head(label, 'w-20 text-right max-md:hidden', sort))}
          {head('Last trace', 'w-32 text-right whitespace-nowrap', 'last_at')}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <SummaryRow key={idOf(row)} row={row} ofOneUser={ofOneUser} activity={activity} />
        ))}
      </tbody>
    </table>
  )
}

const idOf = (row: Row) => ('session_id' in row ? row.session_id : row.user_id)

interface SummaryRowProps {
  readonly row: Row
  readonly ofOneUser: boolean
  readonly activity: Activity | undefined
}

function SummaryRow({ row, ofOneUser, activity }: SummaryRowProps) {
  const { trace_count: traces, error_count: failed, step_count: steps, token_usage: usage, cost_usd: cost } = row
  const { mean_duration_ms: duration } = row
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
      {!ofOneUser && <Others row={row} />}
      {activity !== undefined && (
        <td className={CELL}>
          {counts !== undefined && <Sparkline values={counts} kind="bars" className="h-5 w-32" />}
        </td>
      )}
      <td className={NUMBER}>{formatCount(traces)}</td>
      <td className={`${NUMBER} ${failed > 0 ? 'text-fail font-medium' : 'text-muted'}`}>{formatCount(failed)}</td>
      <td className={NUMBER}>{formatCount(steps)}</td>
      <td className={NUMBER} title={`${formatCount(usage.input)} in, ${formatCount(usage.output)} out`}>
        {formatCompact(usage.total)}
      </td>
      <td className={NUMBER}>{cost === null ? '–' : formatCostShort(cost)}</td>
      <td className={NUMBER} title="The mean of its traces">
        {duration === null ? '–' : formatDuration(duration)}
      </td>
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
