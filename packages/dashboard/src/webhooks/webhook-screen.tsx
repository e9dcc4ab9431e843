import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/webhooks/$webhookId')({ component: WebhookScreen })

function WebhookScreen() {
  return <PageHeader title="Webhook" />
}
