import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { firstStepsQuery, sessionQuery } from '../api/summaries.ts'
import { More } from '../ui/more.tsx'
import { Fact } from '../ui/fact.tsx'
import { Loading } from '../ui/states.tsx'
import { ConversationReader } from '../conversation/conversation-reader.ts'
import { SummaryFacts, SummaryHeader } from './summary-header.tsx'
import { TraceTurns } from './trace-turns.tsx'

export const route = createLazyRoute('/app/sessions/$sessionId')({ component: SessionScreen })

function SessionScreen() {
  const { sessionId } = route.useParams()
  const query = useInfiniteQuery(sessionQuery(sessionId))
  const session = query.data?.pages.at(-1)?.session
  const traces = query.data?.pages.flatMap((page) => page.traces) ?? []
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
          <Turns traces={traces} />
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
