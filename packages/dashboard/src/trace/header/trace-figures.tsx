import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clusterOfTraceQuery } from '../../api/clusters.ts'
import { formatCompact, formatCost, formatCount, formatSteps } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { Fact } from '../../ui/fact.tsx'
import { Time } from '../../ui/time.tsx'
import type { TraceHead } from '../reading/trace-head.ts'

/** `count`: steps that are read. */
export function TraceFigures({ head, count, complete }: { head: TraceHead; count: number; complete: boolean }) {
  return (
    <dl className="text-muted mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      <Fact label="Run type">{head.run_type}</Fact>
      {head.started_at === null ? (
        <Fact label="Received">
          received <Time at={head.created_at} />
        </Fact>
      ) : (
        <Fact label="Started">
          started <Time at={head.started_at} />
        </Fact>
      )}
      {head.duration_ms !== null && <Fact label="Duration">{formatDuration(head.duration_ms)}</Fact>}
      <Fact label="Steps">
        {complete ? formatSteps(count) : `${formatCount(count)} of ${formatSteps(head.step_count)}`}
      </Fact>
      {head.token_usage.total > 0 && (
        <Fact label="Tokens">
          <span title={`${formatCount(head.token_usage.input)} in, ${formatCount(head.token_usage.output)} out`}>
            {formatCompact(head.token_usage.total)} tokens
          </span>
        </Fact>
      )}
      <Cost head={head} />
      <Masked counts={head.masked} />
      {head.session_id !== null && (
        <Fact label="Session">
          <Link
            to="/app/sessions/$sessionId"
            params={{ sessionId: head.session_id }}
            className={LINK}
            title={head.session_id}
          >
            <bdi>{shortened(`session ${head.session_id}`)}</bdi>
          </Link>
        </Fact>
      )}
      {head.user_id !== null && (
        <Fact label="User">
          <Link to="/app/users/$userId" params={{ userId: head.user_id }} className={LINK} title={head.user_id}>
            <bdi>{shortened(`user ${head.user_id}`)}</bdi>
          </Link>
        </Fact>
      )}
      <Cluster traceId={head.id} />
    </dl>
  )
}

/** What was masked before the trace was stored. */
function Masked({ counts }: { counts: TraceHead['masked'] }) {
  const rules = Object.entries(counts)
  if (rules.length === 0) return null
  const times = rules.reduce((sum, [, count]) => sum + count, 0)
  return (
    <Fact label="Masked">
      <span title={rules.map(([rule, count]) => `${rule}: ${formatCount(count)}`).join('\n')}>
        {formatCount(times)} masked
      </span>
    </Fact>
  )
}

function Cluster({ traceId }: { traceId: string }) {
  const { data } = useQuery(clusterOfTraceQuery(traceId))
  const cluster = data?.clusters[0]
  if (cluster === undefined) return null
  const { id: clusterId, label } = cluster
  return (
    <Fact label="Cluster">
      <Link to="/app/clusters/$clusterId" params={{ clusterId }} className={LINK} title={label}>
        <bdi>{shortened(`cluster ${label}`)}</bdi>
      </Link>
    </Fact>
  )
}

function Cost({ head: { cost_usd: cost, unpriced_models: unpriced = [] } }: { head: TraceHead }) {
  if (cost === undefined || (cost === null && unpriced.length === 0)) return null
  return (
    <Fact label="Cost">
      {cost !== null && formatCost(cost)}
      {unpriced.length > 0 && (
        <span className="text-warn ml-1" title={`No price set for ${unpriced.join(', ').slice(0, 500)}`}>
          {cost === null ? 'unpriced' : '+ unpriced'}: <bdi>{unpriced[0]}</bdi>
          {unpriced.length > 1 && ` and ${unpriced.length - 1} more`}
        </span>
      )}
    </Fact>
  )
}

const LINK = 'hover:text-ink inline-block max-w-full truncate align-bottom leading-6 underline decoration-dotted'

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
