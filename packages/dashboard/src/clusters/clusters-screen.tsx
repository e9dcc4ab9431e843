import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/clusters')({ component: ClustersScreen })

function ClustersScreen() {
  return <PageHeader title="Clusters" />
}
