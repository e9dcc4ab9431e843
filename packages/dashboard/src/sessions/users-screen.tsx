import { createLazyRoute } from '@tanstack/react-router'
import { SummaryList } from './summary-list.tsx'

export const route = createLazyRoute('/app/users')({ component: UsersScreen })

function UsersScreen() {
  const navigate = route.useNavigate()
  return (
    <SummaryList of="users" search={route.useSearch()} onSearch={(search, how) => void navigate({ search, ...how })} />
  )
}
