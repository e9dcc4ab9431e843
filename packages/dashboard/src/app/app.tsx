import { QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { ApiError, asApiError } from '../api/client/api-error.ts'
import { setSessionEndListener } from '../api/client/request.ts'
import { sessionQuery, signOut } from '../api/client/session.ts'
import { ErrorState, EmptyState } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { watchOutages } from './outage.ts'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'
import { endSession } from '../api/change-session.ts'
import { enterProject } from '../api/client/current-project.ts'
import { Button } from '../ui/button.tsx'

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

/** The address is of a project that does not exist or that the key of this session cannot use. */
function OtherProject() {
  const leave = useMutation({
    mutationFn: () => {
      enterProject(null)
      return signOut()
    },
    onSuccess: () => endSession(queryClient),
  })
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <EmptyState title="This project cannot be opened" of="h1">
        <p>It does not exist, or your key belongs to another project.</p>
        <div className="mt-4 flex flex-wrap justify-center gap-2">
          <Button onClick={() => leave.mutate()} disabled={leave.isPending}>
            Sign in with another key
          </Button>
          {/* Not a route: the page begins anew in the project of the session. */}
          <a href="/" className="text-accent px-2 py-1 underline">
            Open your own project
          </a>
        </div>
        {leave.error !== null && <p className="text-fail mt-3">{asApiError(leave.error).message}</p>}
      </EmptyState>
    </main>
  )
}
