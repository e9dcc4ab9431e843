import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import type { TraceSession, TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { formatCompact, formatCost, formatCostShort, formatCount } from '../lib/format-number.ts'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { Time } from '../ui/time.tsx'

const CELL = 'px-4 py-2.5 align-top'
const NUMBER = `${CELL} text-right whitespace-nowrap tabular-nums max-md:hidden`

/** `ofOneUser`: all have the same user, who is not repeated. */
export function SessionTable({
  sessions,
  ofOneUser = false,
}: {
  sessions: readonly TraceSession[]
  ofOneUser?: boolean
}) {
  return (
    <SummaryTable
      title="Sessions"
      one="Session"
      other={ofOneUser ? null : 'Users'}
      rows={sessions.map((session) => ({
        ...session,
        id: session.session_id,
        link: (children) => (
          <Link {...ROW_LINK} to="/app/sessions/$sessionId" params={{ sessionId: session.session_id }}>
            {children}
          </Link>
        ),
        others: session.user_ids.length === 0 ? '–' : <bdi>{session.user_ids.slice(0, 20).join(', ')}</bdi>,
        othersTitle: session.user_ids.join('\n').slice(0, 1000),
      }))}
    />
  )
}

export function UserTable({ users }: { users: readonly TraceUser[] }) {
  return (
    <SummaryTable
      title="Users"
      one="User"
      other="Sessions"
      rows={users.map((user) => ({
        ...user,
        id: user.user_id,
        link: (children) => (
          <Link {...ROW_LINK} to="/app/users/$userId" params={{ userId: user.user_id }}>
            {children}
          </Link>
        ),
        others: formatCount(user.session_count),
        othersTitle: '',
      }))}
    />
  )
}

const ROW_LINK = { 'data-row': '', className: 'block truncate font-medium after:absolute after:inset-0' }

interface Row extends Omit<TraceSession, 'session_id' | 'user_ids'> {
  readonly id: string
  link(children: ReactNode): ReactNode
  readonly others: ReactNode
  readonly othersTitle: string
}

interface SummaryTableProps {
  readonly title: string
  /** Headings of the first column and of the one of users or sessions. */
  readonly one: string
  readonly other: string | null
  readonly rows: readonly Row[]
}

/** Sessions or users, each with what its traces amount to. */
function SummaryTable({ title, one, other, rows }: SummaryTableProps) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys(title, table)
  return (
    <table ref={table} aria-label={title} className="w-full text-sm">
      <thead>
        <tr className="text-muted border-b text-left text-xs">
          <th scope="col" className="px-4 py-2 font-medium">
            {one}
          </th>
          {other !== null && (
            <th scope="col" className="px-4 py-2 font-medium max-lg:hidden">
              {other}
            </th>
          )}
          {['Traces', 'Failed', 'Steps', 'Tokens', 'Cost'].map((heading) => (
            <th key={heading} scope="col" className="w-20 px-4 py-2 text-right font-medium max-md:hidden">
              {heading}
            </th>
          ))}
          <th scope="col" className="w-32 px-4 py-2 text-right font-medium whitespace-nowrap">
            Last trace
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <SummaryRow key={row.id} row={row} hasOther={other !== null} />
        ))}
      </tbody>
    </table>
  )
}

function SummaryRow({ row, hasOther }: { row: Row; hasOther: boolean }) {
  const { id, trace_count: traces, error_count: failed, step_count: steps, token_usage: usage, cost_usd: cost } = row
  return (
    <tr className="hover:bg-hover focus-within:bg-hover relative border-b">
      <td className={`${CELL} w-full max-w-0 lg:w-1/2`} title={id}>
        {row.link(<bdi>{id}</bdi>)}
        <p className="text-muted text-xs md:hidden">
          {countOf(traces, 'trace')}
          {failed > 0 && <span className="text-fail"> · {formatCount(failed)} failed</span>}
          {cost !== null && ` · ${formatCost(cost)}`}
        </p>
      </td>
      {hasOther && (
        <td className={`${CELL} w-1/2 max-w-0 truncate max-lg:hidden`} title={row.othersTitle}>
          {row.others}
        </td>
      )}
      <td className={NUMBER}>{formatCount(traces)}</td>
      <td className={`${NUMBER} ${failed > 0 ? 'text-fail font-medium' : 'text-muted'}`}>{formatCount(failed)}</td>
      <td className={NUMBER}>{formatCount(steps)}</td>
      <td className={NUMBER} title={`${formatCount(usage.input)} in, ${formatCount(usage.output)} out`}>
        {formatCompact(usage.total)}
      </td>
      <td className={NUMBER}>{cost === null ? '–' : formatCostShort(cost)}</td>
      <td className={`${CELL} text-right`}>
        <Time at={row.last_at} className="text-muted" />
      </td>
    </tr>
  )
}

/** "1 trace", "2 traces". */
export function countOf(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`
}
