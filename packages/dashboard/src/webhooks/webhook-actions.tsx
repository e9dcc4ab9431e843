import type { Webhook, WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pencil, Send } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { deliveriesKey } from '../api/deliveries.ts'
import { deleteWebhook, patchWebhook, pingWebhook, rotateSecret, webhookQuery, webhooksQuery } from '../api/webhooks.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { MENU_CONTENT, MENU_ITEM } from '../ui/menu-classes.ts'
import { Modal } from '../ui/modal.tsx'
import { useToast } from '../ui/toasts.tsx'
import { SecretModal } from './secret-modal.tsx'
import { WebhookForm } from './webhook-form.tsx'

type ActionDialog = 'edit' | 'rotate' | 'disable' | 'delete'

/** The actions of a webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [dialog, setDialog] = useState<ActionDialog | null>(null)
  const [rotated, setRotated] = useState<WebhookWithSecret | null>(null)
  const place = { projectId: webhook.project_id, webhookId: webhook.id }
  const onError = (error: Error) => toast({ kind: 'fail', text: asApiError(error).message })
  const keep = ({ secret: _, ...changed }: WebhookWithSecret) => {
    queryClient.setQueryData(webhookQuery(webhook.project_id, webhook.id).queryKey, changed)
    void queryClient.invalidateQueries({ queryKey: webhooksQuery(webhook.project_id).queryKey })
  }
  const ping = useMutation({
    mutationFn: () => pingWebhook(webhook),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: [...deliveriesKey(place), 'head'] })
      void queryClient.invalidateQueries({ queryKey: [...deliveriesKey(place), 'recent'] })
      void navigate({
        to: '/app/webhooks/$webhookId',
        params: { webhookId: webhook.id },
        search: { delivery: id },
        resetScroll: false,
      })
    },
    onError,
  })
  const enable = useMutation({
    mutationFn: (enabled: boolean) => patchWebhook(webhook, { enabled }),
    onSuccess: keep,
    onError,
  })
  const rotate = useMutation({
    mutationFn: () => rotateSecret(webhook),
    onSuccess: (next) => {
      keep(next)
      setRotated(next)
    },
    onError,
  })
  const remove = useMutation({
    mutationFn: () => deleteWebhook(webhook),
    onSuccess: async () => {
      await navigate({ to: '/app/webhooks' })
      queryClient.removeQueries({ queryKey: webhookQuery(webhook.project_id, webhook.id).queryKey })
      void queryClient.invalidateQueries({ queryKey: webhooksQuery(webhook.project_id).queryKey })
      toast({ kind: 'ok', text: 'Webhook deleted' })
    },
    onError,
  })
  const close = () => setDialog(null)
  return (
    <>
      {webhook.enabled ? (
        <Button variant="primary" disabled={ping.isPending} onClick={() => ping.mutate()}>
          <Send className="size-3.5" aria-hidden /> Ping
        </Button>
      ) : (
        <Button variant="primary" disabled={enable.isPending} onClick={() => enable.mutate(true)}>
          Enable
        </Button>
      )}
      <Button onClick={() => setDialog('edit')}>
        <Pencil className="size-3.5" aria-hidden /> Edit
      </Button>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button icon aria-label="More">
            <Ellipsis className="size-4" aria-hidden />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className={MENU_CONTENT} align="end" sideOffset={4}>
            <DropdownMenu.Item className={MENU_ITEM} onSelect={() => setDialog('rotate')}>
              Rotate secret…
            </DropdownMenu.Item>
            {webhook.enabled && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={() => setDialog('disable')}>
                Disable…
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={`${MENU_ITEM} text-fail`} onSelect={() => setDialog('delete')}>
              Delete…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Modal title="Edit webhook" open={dialog === 'edit'} onOpenChange={close}>
        <WebhookForm webhook={webhook} onCancel={close} onSaved={close} />
      </Modal>
      <Confirm
        title="Rotate the secret?"
        text="Spoor creates a new secret and shows it once. For 24 hours webhook-signature contains signatures of both secrets, so that the receiver can switch; x-service-signature uses the new one now. Rotating again within that time ends the oldest secret."
        confirm="Rotate"
        open={dialog === 'rotate'}
        onCancel={close}
        onConfirm={() => rotate.mutate()}
      />
      <Confirm
        title="Disable this webhook?"
        text="It gets no new events. Pending deliveries pause, and continue if it is enabled again within 24 hours. Events in between are not sent later."
        confirm="Disable"
        open={dialog === 'disable'}
        onCancel={close}
        onConfirm={() => enable.mutate(false)}
      />
      <Confirm
        title="Delete this webhook?"
        text="This also deletes its delivery log and cancels pending deliveries. It cannot be undone."
        confirm="Delete"
        open={dialog === 'delete'}
        onCancel={close}
        onConfirm={() => remove.mutate()}
      />
      <SecretModal title="New secret" webhook={rotated} onDone={() => setRotated(null)} />
    </>
  )
}
