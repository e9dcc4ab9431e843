import type { WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { webhooksQuery } from '../api/webhooks.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { SecretModal, WebhookForm } from './webhook-form.tsx'
import { WebhookList } from './webhook-list.tsx'

export const route = createLazyRoute('/app/webhooks')({ component: WebhooksScreen })

function WebhooksScreen() {
  const { project_id } = useSession()
  const mayManage = useMay('manage')
  const navigate = useNavigate()
  const { create } = route.useSearch()
  const query = useQuery(webhooksQuery(project_id))
  const { data: webhooks } = query
  const [making, setMaking] = useState(create !== undefined && mayManage)
  const [created, setCreated] = useState<WebhookWithSecret | null>(null)
  useShortcuts('Webhooks', mayManage ? { n: { does: 'New webhook', run: () => setMaking(true) } } : {})
  const newButton = mayManage && (
    <Button icon={Plus} variant="primary" onClick={() => setMaking(true)}>
      New webhook
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
            A webhook sends events to your URL: new and flagged traces, metric events, fired monitors, new and shifted
            clusters. Every delivery is signed, retried for up to 24 hours, and listed here with each attempt.
          </p>
          {newButton === false ? <p>Creating a webhook needs a key with the scope manage.</p> : newButton}
        </EmptyState>
      ) : (
        <Loading query={query} rows={3} />
      )}
      {making && (
        <WebhookForm
          {...(create === undefined ? {} : { events: [create] })}
          onClose={() => setMaking(false)}
          onCreated={setCreated}
        />
      )}
      <SecretModal
        title="Webhook created"
        webhook={created}
        onDone={() => {
          setCreated(null)
          if (created !== null) void navigate({ to: '/app/webhooks/$webhookId', params: { webhookId: created.id } })
        }}
      />
    </>
  )
}
