import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/metrics/$name')({ component: MetricScreen })

function MetricScreen() {
  return <PageHeader title="Metric" />
}
