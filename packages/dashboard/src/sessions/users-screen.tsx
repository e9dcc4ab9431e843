import { useInfiniteQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { userListQuery } from '../api/summaries.ts'
import { DEFAULT_RANGE } from '../lib/time-range.ts'
import { toSummaryRequest } from './summary-request.ts'
import { SummariesPage } from './summaries-page.tsx'
import { UserTable } from './summary-table.tsx'

export const route = createLazyRoute('/app/users')({ component: UsersScreen })

function UsersScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(userListQuery(toSummaryRequest(search, DEFAULT_RANGE)))
  const users = query.data?.pages.flatMap((page) => page.users) ?? []
  return (
    <SummariesPage
      title="Users"
      search={search}
      onSearch={(next, { replace = false } = { replace: false }) => void navigate({ search: next, replace })}
      query={query}
      count={users.length}
      field="user_id"
      otherwise={DEFAULT_RANGE}
    >
      <UserTable users={users} />
    </SummariesPage>
  )
}
