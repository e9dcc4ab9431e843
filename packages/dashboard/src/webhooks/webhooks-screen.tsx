import type { WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { webhooksQuery } from '../api/webhooks.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Modal } from '../ui/modal.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { SecretModal } from './secret-modal.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookList } from './webhook-list.tsx'

export const route = createLazyRoute('/app/webhooks')({ component: WebhooksScreen })

function WebhooksScreen() {
  const { project_id } = useSession()
  const mayManage = useMay('manage')
  const navigate = useNavigate()
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(project_id))
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  useShortcuts('Webhooks', mayManage ? { n: { does: 'New webhook', run: () => setMaking(true) } } : {})
  const newButton = mayManage && (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus className="size-4" aria-hidden /> New webhook
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Webhooks"
        {...(webhooks === undefined || webhooks.length === 0 ? {} : { meta: webhooks.length, actions: newButton })}
      />
      {webhooks !== undefined && webhooks.length > 0 ? (
        <WebhookList webhooks={webhooks} />
      ) : webhooks !== undefined ? (
        <EmptyState title="No webhooks yet">
          <p>
            A webhook sends what happens here to a URL of yours: new and flagged traces, metric events, monitors that
            fire, clusters that appear and shift. Every delivery is signed, tried again for up to 24 hours, and listed
            here with each attempt.
          </p>
          {newButton === false ? <p>Making one needs a key with the scope manage.</p> : newButton}
        </EmptyState>
      ) : error === null ? (
        <SkeletonRows rows={3} />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
      <Modal title="New webhook" open={making} onOpenChange={setMaking}>
        <WebhookForm
          onCancel={() => setMaking(false)}
          onSaved={(webhook) => {
            setMaking(false)
            setMade(webhook)
          }}
        />
      </Modal>
      <SecretModal
        title="The webhook is made"
        webhook={made}
        onDone={() => {
          setMade(null)
          if (made !== null) void navigate({ to: '/app/webhooks/$webhookId', params: { webhookId: made.id } })
        }}
      />
    </>
  )
}
