import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { Link } from '@tanstack/react-router'
import { formatCompact, formatCostShort } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'

/** One trace of the list. */
export function TraceRowItem({ trace }: { trace: TraceRow }) {
  const { id, name, status, duration_ms, token_usage, cost_usd, created_at, input_preview: input } = trace
  const duration = duration_ms === null ? null : formatDuration(duration_ms)
  const cost = cost_usd === null ? null : formatCostShort(cost_usd)
  const tokens = `${formatCompact(token_usage.total)} tokens`
  return (
    <li className="hover:bg-hover focus-within:bg-hover relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b px-4 py-1.5 text-sm md:grid-cols-[4rem_minmax(0,1fr)_minmax(0,2fr)_6rem_6rem_6rem_7rem]">
      <span className="max-md:order-2 max-md:text-right">
        <Badge tone={status === 'error' ? 'fail' : 'ok'}>{status === 'error' ? 'failed' : 'ok'}</Badge>
      </span>
      <Link
        to="/app/traces/$traceId"
        params={{ traceId: id }}
        className="min-w-0 truncate font-medium after:absolute after:inset-0"
        title={name.slice(0, 500)}
      >
        <bdi>{name.slice(0, 300)}</bdi>
      </Link>
      <bdi className="text-muted truncate max-md:hidden" title={input ?? undefined}>
        {input}
      </bdi>
      <span className="text-right tabular-nums max-md:hidden">{duration ?? '–'}</span>
      <span className="text-muted text-right tabular-nums max-md:hidden">{tokens}</span>
      <span className="text-muted text-right tabular-nums max-md:hidden">{cost ?? '–'}</span>
      <span className="text-muted text-right whitespace-nowrap tabular-nums max-md:order-3 max-md:col-span-2 max-md:text-left">
        <Time at={created_at} className="relative z-1" />
        <span className="md:hidden">
          {duration !== null && ` · ${duration}`} · {tokens}
          {cost !== null && ` · ${cost}`}
        </span>
      </span>
    </li>
  )
}
