import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/monitors/$monitorId')({ component: MonitorScreen })

function MonitorScreen() {
  return <PageHeader title="Monitor" />
}
