import { QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { ApiError, asApiError } from '../api/client/api-error.ts'
import { setSessionEndListener } from '../api/client/request.ts'
import { sessionQuery, signInWithKey, signInWithToken, signOut } from '../api/client/session.ts'
import { Field, Input } from '../ui/field.tsx'
import { ErrorState, EmptyState } from '../ui/states.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { Mark } from './mark.tsx'
import { watchOutages } from './outage.ts'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'
import { beginSession, endSession } from '../api/change-session.ts'
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

const TOKEN = /^#sign-in=([\w-]+)$/

/** Takes the token from the URL and removes it there, so that it does not stay in the history. */
function takeToken(): string | null {
  const token = TOKEN.exec(location.hash)?.[1] ?? null
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}

function SignIn() {
  const [key, setKey] = useState('')
  const tried = useRef(false)
  const signIn = useMutation({
    mutationFn: ({ token, secret }: { token?: string; secret?: string }) =>
      token === undefined ? signInWithKey(secret ?? '') : signInWithToken(token),
    onSuccess: () => beginSession(queryClient),
  })
  const { mutate } = signIn
  useEffect(() => {
    if (tried.current) return
    tried.current = true
    const token = takeToken()
    if (token !== null) mutate({ token })
  }, [mutate])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate({ secret: key.trim() })
  }
  return (
    <main className="bg-sunken flex min-h-dvh items-center justify-center p-4">
      <form onSubmit={submit} className="bg-raised w-full max-w-sm space-y-5 rounded-xl border p-6 shadow-sm">
        <div className="flex items-center gap-3">
          <Mark className="size-9" />
          <div>
            <h1 className="text-xl font-semibold">Spoor</h1>
            <p className="text-muted text-sm">Sign in to see what your agents do.</p>
          </div>
        </div>
        <Field label="API key" error={signIn.error === null ? undefined : describe(signIn)}>
          <Input
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            placeholder="spoor_…"
            value={key}
            onText={setKey}
          />
        </Field>
        <Button type="submit" variant="primary" className="w-full" disabled={signIn.isPending}>
          {signIn.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <p className="text-muted text-sm">
          The first start of Spoor printed a key. To create another one, run on the same machine:{' '}
          <code className="font-mono text-xs">npx spoor keys create --name dashboard</code>
        </p>
      </form>
    </main>
  )
}

function describe({ error, variables }: { error: unknown; variables: { token?: string } | undefined }): string {
  const problem = asApiError(error)
  if (problem.status !== 401) return problem.message
  return variables?.token === undefined
    ? 'Invalid, revoked or expired key.'
    : 'This link was already used, or Spoor was restarted. Sign in with a key.'
}
