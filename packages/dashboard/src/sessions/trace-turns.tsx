import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { Link } from '@tanstack/react-router'
import { formatDuration } from '../lib/format-time.ts'
import { ErrorText } from '../ui/error-text.tsx'
import { Skeleton } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { Status } from '../traces/list/cells.tsx'
import type { Turn } from '../conversation/turn.ts'
import { TurnItem } from '../conversation/turn-item.tsx'

interface TraceTurnsProps {
  readonly trace: TraceRow
  /** Null until they are loaded. */
  readonly turns: readonly Turn[] | null
  readonly error: Error | null
  /** The trace has more steps than were read. */
  readonly hasMore: boolean
}

export function TraceTurns({ trace, turns, error, hasMore }: TraceTurnsProps) {
  return (
    <li>
      <div className="text-muted flex min-w-0 items-center gap-2 border-b pb-1 text-xs">
        <Status row={trace} />
        <Link
          to="/app/traces/$traceId"
          params={{ traceId: trace.id }}
          className="text-ink truncate font-medium underline decoration-dotted"
          title={trace.name}
        >
          <bdi>{trace.name}</bdi>
        </Link>
        <span className="ml-auto flex shrink-0 gap-2">
          {trace.duration_ms !== null && <span>{formatDuration(trace.duration_ms)}</span>}
          <Time at={trace.created_at} />
        </span>
      </div>
      <ErrorText error={error} className="py-2" />
      {turns === null && error === null && <Skeleton className="mt-2 h-24" />}
      {turns !== null && (
        <ol className="mt-2 space-y-2">
          {turns.length === 0 && <li className="text-muted text-sm">Nothing was said in its steps.</li>}
          {turns.map((turn, at) => (
            <TurnItem key={at} traceId={trace.id} turn={turn} />
          ))}
          {hasMore && (
            <li className="text-muted text-sm">Its later steps are not shown here. Open the trace to read them.</li>
          )}
        </ol>
      )}
    </li>
  )
}
