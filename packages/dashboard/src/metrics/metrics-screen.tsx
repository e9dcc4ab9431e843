import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/metrics')({ component: MetricsScreen })

function MetricsScreen() {
  return <PageHeader title="Metrics" />
}
