import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { beginSession } from '../api/change-session.ts'
import { signInWithKey, signInWithToken } from '../api/client/session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Mark } from './mark.tsx'

const TOKEN = /^#sign-in=([\w-]+)$/

/** Takes the token from the URL and removes it there, so that it does not stay in the history. */
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
