import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/webhooks')({ component: WebhooksScreen })

function WebhooksScreen() {
  return <PageHeader title="Webhooks" />
}
