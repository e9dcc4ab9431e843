import { type Scope, SCOPES } from '@spoor/contract/scopes'
import type { CreatedKey } from '@spoor/contract/schemas/key'
import { useState } from 'react'
import { createKey, keysQuery } from '../api/client/keys.ts'
import { parseLocalTime, printLocalTime } from '../lib/local-time.ts'
import { formatExact } from '../lib/format-time.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field, Input, Select, Fieldset } from '../ui/field.tsx'
import { LocalTimeInput } from '../ui/local-time-input.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { LimitFields, limitsOf, NO_LIMITS } from './key-limits.tsx'

/** What each scope allows. No scope includes another. */
const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  ingest: 'Send traces, steps, metric events and media.',
  read: 'Read all data of the project.',
  'media:sign': 'Create signed URLs for direct uploads. For trusted backends.',
  manage: 'Manage metrics, monitors, webhooks, clusters, prices and keys, and delete data.',
  admin: 'Create projects, and keys for any project.',
}

interface KeyFormProps {
  readonly projectId: string
  onCreated(key: CreatedKey): void
  onCancel(): void
}

const DAY = 86_400_000
const DAYS = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const
type Expiry = 'never' | 'custom' | (typeof DAYS)[number][0]

export function KeyForm({ projectId, onCreated, onCancel }: KeyFormProps) {
  const isAdmin = useMay('admin')
  const own = useSession()
  const mayGive = (scope: Scope) => isAdmin || own.scopes.includes(scope)
  /** The latest expiry that the session may give; null for no limit. */
  const latest = isAdmin || own.key_expires_at === null ? null : Date.parse(own.key_expires_at)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(() =>
    SCOPES.filter((scope) => scope === 'ingest' && mayGive(scope)),
  )
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [limits, setLimits] = useState(NO_LIMITS)
  const [custom, setCustom] = useState(() => printLocalTime(Date.now() + 30 * DAY))
  const send = () => {
    const expires_at = expiryOf(expiry, custom)
    // Empty: those of the own key.
    const given = Object.fromEntries(Object.entries(limitsOf(limits)).filter(([, limit]) => limit !== null))
    return createKey(projectId, { name: name.trim(), scopes: [...scopes], ...given, ...(expires_at && { expires_at }) })
  }
  return (
    <Form send={send} onSuccess={onCreated} refresh={[keysQuery(projectId).queryKey]}>
      <Field label="Name" at="/name" hint="Who or what will use it.">
        <Input autoFocus autoComplete="off" placeholder="agent in production" value={name} onText={setName} />
      </Field>
      <Fieldset legend="Scopes" at="/scopes">
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
        at="/expires_at"
      >
        <div className="flex flex-wrap gap-2">
          <Select
            className="w-auto!"
            value={expiry}
            onChoice={setExpiry}
            options={[
              ['never', latest === null ? 'Never' : 'With your own key'],
              ...DAYS.filter(([days]) => latest === null || Date.now() + Number(days) * DAY <= latest),
              ['custom', 'Custom time…'],
            ]}
          />
          {expiry === 'custom' && (
            <LocalTimeInput aria-label="Expires at" className="w-56" value={custom} onText={setCustom} />
          )}
        </div>
      </Field>
      <LimitFields limits={limits} onChange={setLimits} />
      <FormEnd submit="Create key" onCancel={onCancel} />
    </Form>
  )
}

/** Invalid text is sent unchanged, and the service reports the field. */
function expiryOf(expiry: Expiry, custom: string): string | null {
  if (expiry === 'never') return null
  if (expiry !== 'custom') return new Date(Date.now() + Number(expiry) * DAY).toISOString()
  const time = parseLocalTime(custom)
  return Number.isNaN(time) ? custom || 'no time' : new Date(time).toISOString()
}
