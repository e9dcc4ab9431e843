import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/settings')({ component: SettingsScreen })

function SettingsScreen() {
  return <PageHeader title="Settings" />
}
