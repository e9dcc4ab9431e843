import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { ApiError } from '../api/client/api-error.ts'
import { setSessionEndListener } from '../api/client/request.ts'
import { sessionQuery } from '../api/client/session.ts'
import { ErrorState } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { OtherProject } from './other-project.tsx'
import { watchOutages } from './outage.ts'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'

watchOutages()
setSessionEndListener(() => queryClient.setQueryData(sessionQuery.queryKey, null))

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delayDuration={300}>
        <Toasts>
          <Gate />
        </Toasts>
      </Tooltip.Provider>
    </QueryClientProvider>
  )
}

/** Asks for a key if there is no session, then shows the screen of the URL. */
function Gate() {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (session === null) return <SignIn />
  if (session !== undefined) return <RouterProvider router={router} context={{ session }} />
  if (error instanceof ApiError && error.status === 404) return <OtherProject />
  if (error !== null) return <ErrorState error={error} onRetry={refetch} />
  return null
}
