import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link, createLazyRoute } from '@tanstack/react-router'
import { useMemo } from 'react'
import { firstStepsQuery, sessionQuery } from '../api/summaries.ts'
import { TurnItem } from '../conversation/turn-item.tsx'
import type { Turn } from '../conversation/turn.ts'
import { formatDuration } from '../lib/format-time.ts'
import { Status } from '../traces/list/cells.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { More } from '../ui/more.tsx'
import { Fact } from '../ui/fact.tsx'
import { Loading, Skeleton } from '../ui/states.tsx'
import { ConversationReader } from '../conversation/conversation-reader.ts'
import { Time } from '../ui/time.tsx'
import { SummaryFacts, SummaryHeader } from './summary-header.tsx'

export const route = createLazyRoute('/app/sessions/$sessionId')({ component: SessionScreen })

function SessionScreen() {
  const { sessionId } = route.useParams()
  const query = useInfiniteQuery(sessionQuery(sessionId))
  const session = query.data?.pages.at(-1)?.session
  return (
    <>
      <SummaryHeader id={sessionId} field="session_id" />
      <Loading query={query} />
      {session !== undefined && (
        <>
          <SummaryFacts summary={session}>
            {session.user_ids.slice(0, 5).map((userId) => (
              <Fact key={userId} label="User">
                <Link
                  to="/app/users/$userId"
                  params={{ userId }}
                  className="hover:text-ink underline decoration-dotted"
                  title={userId}
                >
                  user <bdi>{userId.length > 40 ? `${userId.slice(0, 40)}…` : userId}</bdi>
                </Link>
              </Fact>
            ))}
          </SummaryFacts>
          <Turns traces={query.data?.pages.flatMap((page) => page.traces) ?? []} />
          <More query={query} end="End of the session." />
        </>
      )}
    </>
  )
}

function Turns({ traces }: { traces: readonly TraceRow[] }) {
  const queries = useQueries({ queries: traces.map(({ id }) => firstStepsQuery(id)) })
  const pages = queries.map(({ data }) => data)
  const turns = useMemo(() => {
    const reader = new ConversationReader()
    const read = pages.map((page) => (page === undefined ? null : reader.read(page.steps)))
    // Which messages a trace repeats is known once all before it are read.
    const unread = read.indexOf(null)
    return unread === -1 ? read : read.map((of, at) => (at < unread ? of : null))
  }, pages)
  return (
    <ol aria-label="Conversation" className="mx-auto w-full max-w-4xl space-y-6 px-4 py-4">
      {traces.map((trace, at) => (
        <TraceTurns
          key={trace.id}
          trace={trace}
          turns={turns[at] ?? null}
          error={queries[at]?.error ?? null}
          hasMore={typeof pages[at]?.next_cursor === 'string'}
        />
      ))}
    </ol>
  )
}

interface TraceTurnsProps {
  readonly trace: TraceRow
  /** Null until they are loaded. */
  readonly turns: readonly Turn[] | null
  readonly error: Error | null
  /** The trace has more steps than were read. */
  readonly hasMore: boolean
}

function TraceTurns({ trace, turns, error, hasMore }: TraceTurnsProps) {
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
