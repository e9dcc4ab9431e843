import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { changeSession } from '../api/change-session.ts'
import { signInWithKey, signInWithToken } from '../api/client/session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Mark } from './mark.tsx'

const TOKEN = /^#sign-in=([\w-]+)$/

/** The token of the URL, which leaves it at once: it is not to stay in the history. */
function takeToken(): string | null {
  const token = TOKEN.exec(location.hash)?.[1] ?? null
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}

export function SignIn() {
  const queryClient = useQueryClient()
  const [key, setKey] = useState('')
  const tried = useRef(false)
  const signIn = useMutation({
    mutationFn: ({ token, secret }: { token?: string; secret?: string }) =>
      token === undefined ? signInWithKey(secret ?? '') : signInWithToken(token),
    onSuccess: (session) => changeSession(queryClient, session),
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
          {(props) => (
            <Input
              {...props}
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              placeholder="spoor_…"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" className="w-full" disabled={signIn.isPending}>
          {signIn.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <p className="text-muted text-sm">
          The first start of the service printed a key. For another one, on the machine it runs on:{' '}
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
    ? 'This key opens nothing: it is mistyped, revoked or expired.'
    : 'The link has been used, or the service was started again since. Sign in with the key.'
}
