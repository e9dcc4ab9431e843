import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { TraceSession } from '@spoor/contract/schemas/traces/trace-summary'
import type { TimeRange } from '../lib/time-range.ts'
import { ExportMenu } from '../ui/export-menu.tsx'
import { PageHeader } from '../ui/page.tsx'
import { formatCompact, formatCost, formatCount } from '../lib/format-number.ts'
import { Fact } from '../ui/fact.tsx'
import { Time } from '../ui/time.tsx'
import { countOf } from './summary-table.tsx'

interface SummaryHeaderProps {
  readonly id: string
  /** How a trace names it. */
  readonly field: 'session_id' | 'user_id'
  /** Of the traces that are exported; all time if omitted. */
  readonly range?: TimeRange
  readonly actions?: ReactNode
}

export function SummaryHeader({ id, field, range, actions }: SummaryHeaderProps) {
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
          <ExportMenu
            what="traces"
            request={{ filters: { [field]: id }, metadata: [], range: range ?? { kind: 'all' } }}
          />
        </>
      }
    />
  )
}

export function SummaryFacts({
  summary,
  children,
}: {
  readonly summary: Omit<TraceSession, 'session_id' | 'user_ids'>
  readonly children?: ReactNode
}) {
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
    </dl>
  )
}
