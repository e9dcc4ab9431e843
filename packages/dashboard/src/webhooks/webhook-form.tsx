import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@spoor/contract/events'
import { WEBHOOK_FORMATS, type WebhookFormat } from '@spoor/contract/webhook-formats'
import type { Webhook, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { createWebhook, patchWebhook, webhookQuery, webhooksQuery } from '../api/webhooks.ts'
import { useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { FORMAT_WORDS } from './format-words.ts'
import { EventChoice } from './event-choice.tsx'

interface WebhookFormProps {
  /** Undefined to create a new one. */
  readonly webhook?: Webhook
  /** Chosen at first for a new one; default: all. */
  readonly events?: readonly WebhookEventType[]
  /** Includes the secret of a new webhook. */
  onSaved(webhook: WebhookWithSecret): void
  onCancel(): void
}

const FIELDS = ['/secret', '/url', '/description', '/events']

export function WebhookForm({ webhook, events: first, onSaved, onCancel }: WebhookFormProps) {
  const { project_id } = useSession()
  const queryClient = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'json')
  const [key, setKey] = useState('')
  const words = FORMAT_WORDS[format]
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<readonly WebhookEventType[]>(webhook?.events ?? first ?? WEBHOOK_EVENT_TYPES)
  const save = useMutation({
    mutationFn: () => {
      const body = { url: url.trim(), description, events: [...events] }
      if (webhook !== undefined) return patchWebhook(webhook, body)
      const secret = format === 'pagerduty' && key !== '' ? { secret: key.trim() } : {}
      return createWebhook(project_id, { ...body, ...secret, format })
    },
    onSuccess: ({ secret: _, ...saved }: WebhookWithSecret) => {
      queryClient.setQueryData(webhookQuery(project_id, saved.id).queryKey, saved)
      void queryClient.invalidateQueries({ queryKey: webhooksQuery(project_id).queryKey })
    },
  })
  const problem = save.error === null ? null : asApiError(save.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate(undefined, { onSuccess: onSaved })
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {webhook === undefined && (
        <Field label="Send as">
          {(props) => (
            <Select {...props} value={format} onChange={(event) => setFormat(event.target.value as WebhookFormat)}>
              {WEBHOOK_FORMATS.map((each) => (
                <option key={each} value={each}>
                  {FORMAT_WORDS[each].name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label="URL" hint={words.hint} error={problem?.of('/url')}>
        {(props) => (
          <Input
            {...props}
            type="url"
            autoFocus
            placeholder={words.placeholder}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      {webhook === undefined && format === 'pagerduty' && (
        <Field
          label="Integration key"
          hint="Of the PagerDuty service that gets the events. It is stored encrypted and never shown again."
          error={problem?.of('/secret')}
        >
          {(props) => (
            <Input {...props} autoComplete="off" value={key} onChange={(event) => setKey(event.target.value)} />
          )}
        </Field>
      )}
      <Field label="Description" hint="Its purpose. Optional." error={problem?.of('/description')}>
        {(props) => <Input {...props} value={description} onChange={(event) => setDescription(event.target.value)} />}
      </Field>
      <EventChoice chosen={events} onChange={setEvents} error={problem?.of('/events')} />
      <FormError problem={problem} fields={FIELDS} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={save.isPending}>
          {webhook === undefined ? 'Create webhook' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
