import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/monitors')({ component: MonitorsScreen })

function MonitorsScreen() {
  return <PageHeader title="Monitors" />
}
