import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/traces')({ component: TracesScreen })

function TracesScreen() {
  return <PageHeader title="Traces" />
}
