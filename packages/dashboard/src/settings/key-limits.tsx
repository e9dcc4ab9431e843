import type { Key, KeyPatch } from '@spoor/contract/schemas/key'
import { useState } from 'react'
import { changeKey, keysQuery } from '../api/client/keys.ts'
import { formatBytes, formatCount } from '../lib/format-number.ts'
import { toNumber } from '../lib/typed-number.ts'
import { Field, Input } from '../ui/field.tsx'
import { FormEnd, FormModal } from '../ui/form.tsx'

/** What is typed into the two fields; empty: no limit. */
export interface LimitTexts {
  readonly requests: string
  readonly bytes: string
}

export const NO_LIMITS: LimitTexts = { requests: '', bytes: '' }

const FIELDS = [
  { name: 'requests', label: 'Requests a second', at: '/requests_per_second', hint: 'Empty: no limit.' },
  { name: 'bytes', label: 'Bytes a second', at: '/bytes_per_second', hint: 'Of request bodies. Empty: no limit.' },
] as const

export function LimitFields({ limits, onChange }: { limits: LimitTexts; onChange(limits: LimitTexts): void }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {FIELDS.map(({ name, ...field }) => (
        <Field key={name} {...field}>
          <Input
            inputMode="numeric"
            autoComplete="off"
            value={limits[name]}
            onText={(text) => onChange({ ...limits, [name]: text })}
          />
        </Field>
      ))}
    </div>
  )
}

export function limitsOf({ requests, bytes }: LimitTexts): KeyPatch {
  return { requests_per_second: limitOf(requests), bytes_per_second: limitOf(bytes) }
}

const limitOf = (text: string) => (text.trim() === '' ? null : toNumber(text))

/** Null when the key has no limits. */
export function limitWords({ requests_per_second, bytes_per_second }: Key): string | null {
  const words = [
    requests_per_second === null ? [] : [`${formatCount(requests_per_second)} requests/s`],
    bytes_per_second === null ? [] : [`${formatBytes(bytes_per_second)}/s`],
  ].flat()
  return words.length === 0 ? null : words.join(', ')
}

export function ChangeLimits({ projectId, apiKey, onClose }: { projectId: string; apiKey: Key; onClose(): void }) {
  const { id, name, requests_per_second, bytes_per_second } = apiKey
  const [limits, setLimits] = useState<LimitTexts>({
    requests: String(requests_per_second ?? ''),
    bytes: String(bytes_per_second ?? ''),
  })
  return (
    <FormModal
      title="Limits"
      description={
        <>
          Of the key <bdi className="font-medium">{name}</bdi> and its sessions. Beyond them, clients get 429 and when
          to retry.
        </>
      }
      send={() => changeKey(projectId, id, limitsOf(limits))}
      refresh={[keysQuery(projectId).queryKey]}
      said={`Limits of ${name} saved`}
      onClose={onClose}
    >
      <LimitFields limits={limits} onChange={setLimits} />
      <FormEnd submit="Save" onCancel={onClose} />
    </FormModal>
  )
}
