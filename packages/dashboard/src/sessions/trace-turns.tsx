import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { Link } from '@tanstack/react-router'
import { CircleAlert, Wrench } from 'lucide-react'
import { asApiError } from '../api/client/api-error.ts'
import { formatDuration } from '../lib/format-time.ts'
import { MessageParts } from '../trace/detail/message-card.tsx'
import { textStyleOf } from '../trace/model/text-style.ts'
import { Skeleton } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { Status } from '../traces/list/cells.tsx'
import type { Turn } from './conversation-turns.ts'

interface TraceTurnsProps {
  readonly trace: TraceRow
  /** Null until they are loaded. */
  readonly turns: readonly Turn[] | null
  readonly error: Error | null
  /** The trace has more steps than were read. */
  readonly hasMore: boolean
}

/** The part of a conversation that is one trace. */
export function TraceTurns({ trace, turns, error, hasMore }: TraceTurnsProps) {
  return (
    <li>
      <div className="text-muted flex min-w-0 items-center gap-2 border-b pb-1 text-xs">
        <Status status={trace.status} />
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
      {error !== null && (
        <p role="alert" className="text-fail py-2 text-sm break-words">
          {asApiError(error).message}
        </p>
      )}
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

const CARD = 'rounded-lg border px-3 py-2'

function TurnItem({ traceId, turn }: { traceId: string; turn: Turn }) {
  const step = (
    <Link
      to="/app/traces/$traceId"
      params={{ traceId }}
      search={{ step: turn.stepId }}
      className="text-muted hover:text-ink ml-auto shrink-0 text-xs underline decoration-dotted"
    >
      Step
    </Link>
  )
  if (turn.kind === 'error') {
    return (
      <li className={`border-fail bg-fail-ground flex items-start gap-2 ${CARD}`}>
        <CircleAlert className="text-fail mt-0.5 size-4 shrink-0" aria-hidden />
        <p className="text-fail min-w-0 text-sm wrap-anywhere">
          <bdi>{turn.step}</bdi> failed{turn.text !== '' && `: ${turn.text.slice(0, 2000)}`}
        </p>
        {step}
      </li>
    )
  }
  if (turn.kind === 'tools') {
    return (
      <li className="flex items-start gap-2 px-3">
        <details className="min-w-0 flex-1">
          <summary className="text-muted cursor-pointer truncate text-sm">
            <Wrench className="text-step-tool mr-1.5 inline size-3.5" aria-hidden />
            <bdi>{turn.title}</bdi>
          </summary>
          <div className="space-y-3 py-2">
            <MessageParts parts={turn.parts} textStyle="code" formatted />
          </div>
        </details>
        {step}
      </li>
    )
  }
  const isUser = turn.role === 'user'
  return (
    <li className={isUser ? 'md:pl-16' : 'md:pr-16'}>
      <div className={`${CARD} ${isUser ? 'bg-selected' : 'bg-raised'}`}>
        <div className="mb-1 flex items-center gap-2">
          <bdi className={`truncate text-xs font-semibold ${isUser ? 'text-info' : 'text-step-llm'}`}>{turn.role}</bdi>
          {step}
        </div>
        <div className="space-y-3">
          <MessageParts parts={turn.parts} textStyle={textStyleOf(turn.role, true)} formatted />
        </div>
      </div>
    </li>
  )
}
