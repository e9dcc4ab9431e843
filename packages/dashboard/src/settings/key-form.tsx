import { type Scope, SCOPES } from '@spoor/contract/scopes'
import type { CreatedKey } from '@spoor/contract/schemas/key'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { createKey, keysQuery } from '../api/client/keys.ts'
import { parseLocalTime, printLocalTime } from '../lib/local-time.ts'
import { formatExact } from '../lib/format-time.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { LocalTimeInput } from '../ui/local-time-input.tsx'
import { Fieldset } from '../ui/fieldset.tsx'
import { FormError } from '../ui/form-error.tsx'
import { SCOPE_WORDS } from './scope-words.ts'

interface KeyFormProps {
  readonly projectId: string
  onCreated(key: CreatedKey): void
  onCancel(): void
}

const FIELDS = ['/name', '/scopes', '/expires_at']
const DAY = 86_400_000
const DAYS = [
  { days: 7, label: 'In 7 days' },
  { days: 30, label: 'In 30 days' },
  { days: 90, label: 'In 90 days' },
  { days: 365, label: 'In a year' },
] as const
type Expiry = 'never' | 'custom' | `${(typeof DAYS)[number]['days']}`

export function KeyForm({ projectId, onCreated, onCancel }: KeyFormProps) {
  const isAdmin = useMay('admin')
  const own = useSession()
  const mayGive = (scope: Scope) => isAdmin || own.scopes.includes(scope)
  /** The latest expiry that the session may give; null for no limit. */
  const latest = isAdmin || own.key_expires_at === null ? null : Date.parse(own.key_expires_at)
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(() =>
    SCOPES.filter((scope) => scope === 'ingest' && mayGive(scope)),
  )
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [custom, setCustom] = useState(() => printLocalTime(Date.now() + 30 * DAY))
  const make = useMutation({
    mutationFn: () => {
      const expires_at = expiryOf(expiry, custom)
      return createKey(projectId, { name: name.trim(), scopes: [...scopes], ...(expires_at && { expires_at }) })
    },
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: keysQuery(projectId).queryKey }),
  })
  const problem = make.error === null ? null : asApiError(make.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    make.mutate(undefined, { onSuccess: onCreated })
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <Field label="Name" hint="Who or what will use it." error={problem?.of('/name')}>
        {(props) => (
          <Input
            {...props}
            autoFocus
            autoComplete="off"
            placeholder="agent in production"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Fieldset legend="Scopes" error={problem?.of('/scopes')}>
        <div className="space-y-3 rounded-md border p-3">
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              label={<span className="font-mono text-xs">{scope}</span>}
              hint={mayGive(scope) ? SCOPE_WORDS[scope] : `Only a key with ${scope} can grant it.`}
              disabled={!mayGive(scope)}
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                setScopes(SCOPES.filter((each) => (each === scope ? target.checked : scopes.includes(each))))
              }
            />
          ))}
        </div>
      </Fieldset>
      <Field
        label="Expires"
        hint={
          latest === null
            ? undefined
            : `Your own key expires at ${formatExact(latest)}, so a new key must expire by then.`
        }
        error={problem?.of('/expires_at')}
      >
        {(props) => (
          <div className="flex flex-wrap gap-2">
            <Select
              {...props}
              className="w-auto!"
              value={expiry}
              onChange={(event) => setExpiry(event.target.value as Expiry)}
            >
              <option value="never">{latest === null ? 'Never' : 'With your own key'}</option>
              {DAYS.filter(({ days }) => latest === null || Date.now() + days * DAY <= latest).map(
                ({ days, label }) => (
                  <option key={days} value={days}>
                    {label}
                  </option>
                ),
              )}
              <option value="custom">Custom time…</option>
            </Select>
            {expiry === 'custom' && (
              <LocalTimeInput aria-label="Expires at" className="w-56" value={custom} onText={setCustom} />
            )}
          </div>
        )}
      </Field>
      <FormError problem={problem} fields={FIELDS} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={make.isPending}>
          Create key
        </Button>
      </div>
    </form>
  )
}

/** Invalid text is sent unchanged, and the service reports the field. */
function expiryOf(expiry: Expiry, custom: string): string | null {
  if (expiry === 'never') return null
  if (expiry !== 'custom') return new Date(Date.now() + Number(expiry) * DAY).toISOString()
  const time = parseLocalTime(custom)
  return Number.isNaN(time) ? custom || 'no time' : new Date(time).toISOString()
}
