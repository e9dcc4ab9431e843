import { WEBHOOK_EVENT_TYPES, type WebhookEventType, EVENT_TYPES } from '@spoor/contract/events'
import { WEBHOOK_FORMATS, type WebhookFormat } from '@spoor/contract/webhook-formats'
import type { Webhook, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createWebhook, keepWebhook, patchWebhook } from '../api/webhooks.ts'
import { useSession } from '../lib/hooks/use-session.ts'
import { Field, Input, Select, Fieldset } from '../ui/field.tsx'
import { FormEnd, FormModal } from '../ui/form.tsx'
import { FORMAT_WORDS } from './format-words.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Modal } from '../ui/modal.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'

const FORMATS = WEBHOOK_FORMATS.map((format) => [format, FORMAT_WORDS[format].name] as const)

interface WebhookFormProps {
  /** Undefined to create a new one. */
  readonly webhook?: Webhook
  /** Chosen at first for a new one; default: all. */
  readonly events?: readonly WebhookEventType[]
  /** Gets the secret too. */
  onCreated?(webhook: WebhookWithSecret): void
  onClose(): void
}

export function WebhookForm({ webhook, events: first, onCreated, onClose }: WebhookFormProps) {
  const { project_id } = useSession()
  const queryClient = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'json')
  const [key, setKey] = useState('')
  const words = FORMAT_WORDS[format]
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<readonly WebhookEventType[]>(webhook?.events ?? first ?? WEBHOOK_EVENT_TYPES)
  const send = (): Promise<WebhookWithSecret> => {
    const body = { url: url.trim(), description, events: [...events] }
    if (webhook !== undefined) return patchWebhook(webhook, body)
    const secret = format === 'pagerduty' && key !== '' ? { secret: key.trim() } : {}
    return createWebhook(project_id, { ...body, ...secret, format })
  }
  return (
    <FormModal
      title={webhook === undefined ? 'New webhook' : 'Edit webhook'}
      send={send}
      onClose={onClose}
      onSuccess={(saved) => {
        keepWebhook(queryClient, saved)
        onCreated?.(saved)
      }}
    >
      {webhook === undefined && (
        <Field label="Send as">
          <Select value={format} onChoice={setFormat} options={FORMATS} />
        </Field>
      )}
      <Field label="URL" at="/url" hint={words.hint}>
        <Input type="url" autoFocus placeholder={words.placeholder} value={url} onText={setUrl} />
      </Field>
      {webhook === undefined && format === 'pagerduty' && (
        <Field
          label="Integration key"
          at="/secret"
          hint="Of the PagerDuty service that gets the events. It is stored encrypted and never shown again."
        >
          <Input autoComplete="off" value={key} onText={setKey} />
        </Field>
      )}
      <Field label="Description" at="/description" hint="Its purpose. Optional.">
        <Input value={description} onText={setDescription} />
      </Field>
      <EventChoice chosen={events} onChange={setEvents} />
      <FormEnd submit={webhook === undefined ? 'Create webhook' : 'Save'} onCancel={onClose} />
    </FormModal>
  )
}

interface EventChoiceProps {
  readonly chosen: readonly WebhookEventType[]
  onChange(chosen: readonly WebhookEventType[]): void
}

function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const all = chosen.length === WEBHOOK_EVENT_TYPES.length
  return (
    <Fieldset legend="Events" at="/events">
      <div className="grid gap-x-6 gap-y-3 rounded-md border p-3 sm:grid-cols-2">
        {WEBHOOK_EVENT_TYPES.map((type) => (
          <Checkbox
            key={type}
            label={<span className="font-mono text-xs">{type}</span>}
            hint={EVENT_TYPES[type].description}
            checked={chosen.includes(type)}
            onChange={({ target }) =>
              onChange(WEBHOOK_EVENT_TYPES.filter((each) => (each === type ? target.checked : chosen.includes(each))))
            }
          />
        ))}
        <Button variant="ghost" className="justify-self-start" onClick={() => onChange(all ? [] : WEBHOOK_EVENT_TYPES)}>
          {all ? 'Clear all' : 'Select all'}
        </Button>
      </div>
    </Fieldset>
  )
}

interface SecretModalProps {
  readonly title: string
  /** Null: closed. */
  readonly webhook: WebhookWithSecret | null
  onDone(): void
}

export function SecretModal({ title, webhook, onDone }: SecretModalProps) {
  if (webhook?.secret === undefined) return null
  return (
    <Modal title={title} open onOpenChange={onDone}>
      <SecretOnce secret={webhook.secret} label="Signing secret" onDone={onDone}>
        <p>
          Your receiver uses it to verify deliveries: <code className="font-mono text-xs">x-service-signature</code> is{' '}
          <code className="font-mono text-xs">sha256=</code> followed by the HMAC-SHA256 of the raw body in hexadecimal.{' '}
          <code className="font-mono text-xs">webhook-signature</code> follows Standard Webhooks.
        </p>
      </SecretOnce>
    </Modal>
  )
}
