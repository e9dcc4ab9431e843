import { createLazyRoute } from '@tanstack/react-router'
import { SummaryList } from './summary-list.tsx'

export const route = createLazyRoute('/app/sessions')({ component: SessionsScreen })

function SessionsScreen() {
  const navigate = route.useNavigate()
  return (
    <SummaryList
      of="sessions"
      search={route.useSearch()}
      onSearch={(search, how) => void navigate({ search, ...how })}
    />
  )
}
