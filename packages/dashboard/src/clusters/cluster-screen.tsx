import { createLazyRoute } from '@tanstack/react-router'
import { PageHeader } from '../ui/page.tsx'

export const route = createLazyRoute('/app/clusters/$clusterId')({ component: ClusterScreen })

function ClusterScreen() {
  return <PageHeader title="Cluster" />
}
