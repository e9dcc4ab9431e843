import type { Webhook, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, Send } from 'lucide-react'
import { useState } from 'react'
import { deliveriesKey } from '../api/deliveries.ts'
import {
  deleteWebhook,
  keepWebhook,
  patchWebhook,
  pingWebhook,
  rotateSecret,
  webhookQuery,
  webhooksQuery,
} from '../api/webhooks.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { MoreMenu } from '../ui/more-menu.tsx'
import { useAction } from '../ui/use-action.ts'
import { SecretModal, WebhookForm } from './webhook-form.tsx'

/** Actions that are confirmed first. */
const CONFIRMED = {
  rotate: {
    title: 'Rotate the secret?',
    text: 'Spoor creates a new secret and shows it once. For 24 hours webhook-signature contains signatures of both secrets, so that the receiver can switch; x-service-signature uses the new one now. Rotating again within that time ends the oldest secret.',
    confirm: 'Rotate',
  },
  disable: {
    title: 'Disable this webhook?',
    text: 'It gets no new events. Pending deliveries pause, and continue if it is enabled again within 24 hours. Events in between are not sent later.',
    confirm: 'Disable',
  },
  delete: {
    title: 'Delete this webhook?',
    text: 'This also deletes its delivery log and cancels pending deliveries. It cannot be undone.',
    confirm: 'Delete',
  },
}

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { project_id: projectId, id: webhookId, enabled } = webhook
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<keyof typeof CONFIRMED | 'edit' | null>(null)
  const [rotated, setRotated] = useState<WebhookWithSecret | null>(null)
  const keep = (changed: WebhookWithSecret) => keepWebhook(queryClient, changed)
  const ping = useAction(() => pingWebhook(webhook), {
    onSuccess: ({ id }) =>
      navigate({
        to: '/app/webhooks/$webhookId',
        params: { webhookId },
        search: { delivery: id },
        resetScroll: false,
      }),
    refresh: [
      [...deliveriesKey(webhook), 'head'],
      [...deliveriesKey(webhook), 'recent'],
    ],
  })
  const enable = useAction((next: boolean) => patchWebhook(webhook, { enabled: next }), { onSuccess: keep })
  const rotate = useAction(() => rotateSecret(webhook), {
    onSuccess: (next) => {
      keep(next)
      setRotated(next)
    },
  })
  const remove = useAction(() => deleteWebhook(webhook), {
    onSuccess: async () => {
      await navigate({ to: '/app/webhooks' })
      queryClient.removeQueries({ queryKey: webhookQuery(projectId, webhookId).queryKey })
    },
    refresh: [webhooksQuery(projectId).queryKey],
    said: 'Webhook deleted',
  })
  const run = { rotate: () => rotate.mutate(), disable: () => enable.mutate(false), delete: () => remove.mutate() }
  const close = () => setDialog(null)
  return (
    <>
      {enabled ? (
        <Button icon={Send} variant="primary" disabled={ping.isPending} onClick={() => ping.mutate()}>
          Ping
        </Button>
      ) : (
        <Button variant="primary" disabled={enable.isPending} onClick={() => enable.mutate(true)}>
          Enable
        </Button>
      )}
      <Button icon={Pencil} onClick={() => setDialog('edit')}>
        Edit
      </Button>
      <MoreMenu
        actions={[
          { label: 'Rotate secret…', run: () => setDialog('rotate') },
          ...(enabled ? [{ label: 'Disable…', run: () => setDialog('disable') }] : []),
          { label: 'Delete…', danger: true, run: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && <WebhookForm webhook={webhook} onClose={close} />}
      {dialog !== null && dialog !== 'edit' && (
        <Confirm {...CONFIRMED[dialog]} open onCancel={close} onConfirm={run[dialog]} />
      )}
      <SecretModal title="New secret" webhook={rotated} onDone={() => setRotated(null)} />
    </>
  )
}
