import { useInfiniteQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { sessionListQuery } from '../api/summaries.ts'
import { toSummaryRequest } from './summary-request.ts'
import { SummariesPage } from './summaries-page.tsx'
import { SessionTable } from './summary-table.tsx'

export const route = createLazyRoute('/app/sessions')({ component: SessionsScreen })

function SessionsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(sessionListQuery(toSummaryRequest(search, 'all')))
  const sessions = query.data?.pages.flatMap((page) => page.sessions) ?? []
  return (
    <SummariesPage
      title="Sessions"
      search={search}
      onSearch={(next, { replace = false } = { replace: false }) => void navigate({ search: next, replace })}
      query={query}
      count={sessions.length}
      field="session_id"
      otherwise="all"
    >
      <SessionTable sessions={sessions} />
    </SummariesPage>
  )
}
