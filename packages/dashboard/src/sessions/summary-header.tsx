import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TraceSession, TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { type TimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { ExportMenu } from '../ui/export-menu.tsx'
import { PageHeader } from '../ui/page.tsx'
import { formatCompact, formatCost, formatCount } from '../lib/format-number.ts'
import { Fact } from '../ui/fact.tsx'
import { Time } from '../ui/time.tsx'
import { ErrorChips } from './error-chips.tsx'
import { countOf } from './summary-table.tsx'
import { useErrors } from './use-activity.ts'

const ERRORS_SHOWN = 10

const ALL: TimeRange = { kind: 'all' }

interface SummaryHeaderProps {
  readonly id: string
  /** How a trace names it. */
  readonly field: 'session_id' | 'user_id'
  /** Of the traces that are exported; all time if omitted. */
  readonly range?: TimeRange
  readonly actions?: ReactNode
}

export function SummaryHeader({ id, field, range = ALL, actions }: SummaryHeaderProps) {
  return (
    <PageHeader
      title={id}
      meta={
        <Link
          to="/app/traces"
          search={{ [field]: id, range: 'all' }}
          className="hover:text-ink leading-6 whitespace-nowrap underline decoration-dotted inline-block"
        >
          As a list of traces
        </Link>
      }
      actions={
        <>
          {actions}
          <ExportMenu what="traces" request={{ filters: { [field]: id }, metadata: [], range }} />
        </>
      }
    />
  )
}

interface SummaryFactsProps {
  readonly summary: TraceSession | TraceUser
  /** All time if omitted. */
  readonly range?: TimeRange
  readonly children?: ReactNode
}

export function SummaryFacts({ summary, range = ALL, children }: SummaryFactsProps) {
  const navigate = useNavigate()
  const [field, id] =
    'user_ids' in summary ? (['session_id', summary.session_id] as const) : (['user_id', summary.user_id] as const)
  const errors = useErrors([[summary]], { field, of: { filters: {}, metadata: [] }, range }).get(id) ?? []
  const openError = (error_type: string) =>
    void navigate({
      to: '/app/traces',
      search: { ...toTimeRangeSearch(range), [field]: id, status: 'error', error_type },
    })
  const { trace_count, step_count, error_count, token_usage, cost_usd, first_at, last_at } = summary
  return (
    <dl className="text-muted flex flex-wrap gap-x-4 gap-y-0.5 border-b px-4 py-2 text-sm">
      <Fact label="Traces">{countOf(trace_count, 'trace')}</Fact>
      <Fact label="Failed">
        <span className={error_count > 0 ? 'text-fail font-medium' : ''}>{formatCount(error_count)} failed</span>
      </Fact>
      <Fact label="Steps">{countOf(step_count, 'step')}</Fact>
      <Fact label="Tokens">
        <span title={`${formatCount(token_usage.input)} in, ${formatCount(token_usage.output)} out`}>
          {formatCompact(token_usage.total)} tokens
        </span>
      </Fact>
      {cost_usd !== null && <Fact label="Cost">{formatCost(cost_usd)}</Fact>}
      <Fact label="First trace">
        first <Time at={first_at} />
      </Fact>
      <Fact label="Last trace">
        last <Time at={last_at} />
      </Fact>
      {children}
      {errors.length > 0 && (
        <Fact label="Error types">
          <span className="flex flex-wrap gap-1">
            <ErrorChips errors={errors.slice(0, ERRORS_SHOWN)} onChoose={openError} />
          </span>
        </Fact>
      )}
    </dl>
  )
}
