import type { ClusterId } from '@spoor/contract/ids'
import type { ClusterSelection, ListedCluster } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Split } from 'lucide-react'
import { CLUSTERS_KEY, clustersQuery, discoverClusters, selectionsQuery } from '../api/clusters.ts'
import { formatTraces } from '../lib/format-number.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { useAction } from '../ui/use-action.ts'
import { clusterName } from './cluster-name.ts'
import { DiscoveryBar } from './discovery/discovery-bar.tsx'
import { useDiscovery } from './discovery/use-discovery.ts'
import { ErrorRate } from './error-rate.tsx'

/** A cluster of so many traces may hold several topics. */
const LARGE = 200

/** Whether a large cluster is offered to be split, and the selection by which it was. */
export function useSplit({ id, size }: ListedCluster) {
  const mayManage = useMay('manage')
  const { data } = useQuery(selectionsQuery)
  const isOwn = ({ filters }: ClusterSelection) => Object.keys(filters).length === 1 && filters.cluster === id
  const selection = data?.selections.find(isOwn) ?? null
  return { selection, isShown: selection !== null || (mayManage && size >= LARGE), mayManage }
}

/** The clusters that a discovery among the traces of a cluster found. */
export function SmallerClusters({ cluster }: { cluster: ListedCluster }) {
  const { id, kind } = cluster
  const { selection, mayManage } = useSplit(cluster)
  const splitting = useAction(() => discoverClusters({ kind, filters: { cluster: id as ClusterId } }), {
    refresh: [CLUSTERS_KEY],
  })
  return (
    <>
      {selection !== null && <Parts kind={kind} selection={selection} />}
      {mayManage && (
        <Button icon={Split} disabled={splitting.isPending} onClick={() => splitting.mutate()}>
          {selection === null ? 'Split into smaller clusters' : 'Split again'}
        </Button>
      )}
    </>
  )
}

function Parts({ kind, selection }: { kind: ListedCluster['kind']; selection: ClusterSelection }) {
  const set = { kind, selection_id: selection.id }
  const discovery = useDiscovery(set)
  const { data } = useQuery(clustersQuery(set))
  return (
    <>
      <DiscoveryBar discovery={discovery} />
      <ul className="divide-y">
        {data?.clusters.map((part) => (
          <li key={part.id} className="flex flex-wrap items-baseline gap-x-4 py-1.5">
            <Link
              to="/app/clusters/$clusterId"
              params={{ clusterId: part.id }}
              className="min-w-0 flex-1 basis-48 font-medium break-words hover:underline"
            >
              <bdi>{clusterName(part)}</bdi>
            </Link>
            <span className="text-sm tabular-nums">{formatTraces(part.size)}</span>
            <ErrorRate cluster={part} projectRate={null} />
          </li>
        ))}
      </ul>
      {data !== undefined && data.clusters.length > 0 && (
        <Link
          to="/app/clusters"
          search={{ ...(kind === 'failures' && { kind }), selection: selection.id }}
          className="text-accent block underline"
        >
          Show them on a map
        </Link>
      )}
    </>
  )
}
