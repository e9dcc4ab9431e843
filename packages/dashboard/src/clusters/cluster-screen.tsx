import type { ClusterDetail, ListedCluster } from '@spoor/contract/schemas/cluster'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { List, Map as MapIcon, Pencil, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { CLUSTERS_KEY, clusterQuery, renameCluster } from '../api/clusters.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { TextForm } from '../ui/text-form.tsx'
import { useAction } from '../ui/use-action.ts'
import { clusterName } from './cluster-name.ts'
import { ClusterView } from './cluster-view.tsx'
import { tracesOfCluster } from './traces-of-cluster.ts'
import { WhyCluster } from './why-cluster.tsx'

export const route = createLazyRoute('/app/clusters/$clusterId')({ component: ClusterScreen })

const LINK_BUTTON =
  'inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap transition-colors'

function ClusterScreen() {
  const { clusterId } = route.useParams()
  const query = useQuery(clusterQuery(clusterId))
  const { data, error } = query
  const ofKind = {
    ...(data?.cluster.kind === 'failures' && ({ kind: 'failures' } as const)),
    ...(typeof data?.cluster.selection_id === 'string' && { selection: data.cluster.selection_id }),
  }
  const isGone = error !== null && asApiError(error).status === 404
  return (
    <>
      <PageHeader
        title={data === undefined ? 'Cluster' : clusterName(data.cluster)}
        meta={
          <>
            <Link to="/app/clusters" search={ofKind} className="hover:text-ink underline">
              All clusters
            </Link>
            {data?.cluster.color === 'fail' && (
              <Badge tone="fail" icon={TriangleAlert}>
                High error rate
              </Badge>
            )}
          </>
        }
        actions={
          data !== undefined && (
            <>
              <WhyCluster cluster={data.cluster} />
              <RenameCluster cluster={data.cluster} />
              <Link
                to="/app/clusters"
                search={{ ...ofKind, cluster: clusterId }}
                className={`${LINK_BUTTON} bg-raised hover:bg-hover border`}
              >
                <MapIcon className="size-4" aria-hidden /> Show on the map
              </Link>
              <Link
                to="/app/traces"
                search={tracesOfCluster(clusterId)}
                className={`${LINK_BUTTON} bg-accent text-on-accent hover:brightness-110`}
              >
                <List className="size-4" aria-hidden /> View traces
              </Link>
            </>
          )
        }
      />
      {isGone ? (
        <EmptyState title="This cluster does not exist">
          <p>The last discovery did not find it again, or it belongs to another project.</p>
          <Link to="/app/clusters" className="text-accent underline">
            Go to clusters
          </Link>
        </EmptyState>
      ) : (
        <Loading query={query} />
      )}
      {data !== undefined && !isGone && <ClusterView detail={data} />}
    </>
  )
}

function RenameCluster({ cluster }: { cluster: ListedCluster }) {
  const [open, setOpen] = useState(false)
  if (!useMay('manage')) return null
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen(true)}>
        Rename
      </Button>
      {open && <RenameForm cluster={cluster} onClose={() => setOpen(false)} />}
    </>
  )
}

function RenameForm({ cluster, onClose }: { cluster: ListedCluster; onClose: () => void }) {
  const queryClient = useQueryClient()
  const renamed = {
    onSuccess: (detail: ClusterDetail) => queryClient.setQueryData(clusterQuery(cluster.id).queryKey, detail),
    refresh: [[...CLUSTERS_KEY, 'list']],
  }
  const reset = useAction(() => renameCluster(cluster.id, { label: null }), { ...renamed, onDone: onClose })
  return (
    <TextForm
      title="Rename the cluster"
      description="The name stays as long as discoveries find this cluster again."
      at="/label"
      initial={cluster.label}
      submit="Save"
      needsText
      send={(label) => renameCluster(cluster.id, { label })}
      onClose={onClose}
      {...renamed}
    >
      {cluster.automatic_label !== null && (
        <Button className="mr-auto" onClick={() => reset.mutate()} disabled={reset.isPending}>
          Use the automatic name
        </Button>
      )}
    </TextForm>
  )
}
