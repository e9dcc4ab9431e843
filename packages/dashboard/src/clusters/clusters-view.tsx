import type { ListedCluster } from '@spoor/contract/schemas/cluster'
import { NO_CLUSTER } from '@spoor/contract/trace-filters'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { clusterMapQuery, clusterRunsQuery, type ClusterSet } from '../api/clusters.ts'
import { failureInWords } from './failure-words.ts'
import { formatCount, formatShare } from '../lib/format-number.ts'
import { changed } from '../lib/search.ts'
import { ErrorState, Skeleton } from '../ui/states.tsx'
import { ClusterTable } from './list/cluster-table.tsx'
import { listClusters, mixedInWords, projectErrorRate, sortClusters } from './list/listed-clusters.ts'
import { mapClusters } from './map/map-content.ts'
import { MapPane } from './map-pane.tsx'
import { RunHistory } from './run-history.tsx'
import type { ClusterSearch, ClusterSort } from './search.ts'
import { tracesOfCluster } from './traces-of-cluster.ts'

interface ClustersViewProps {
  readonly set: ClusterSet
  readonly clusters: readonly ListedCluster[]
  readonly computedAt: string
  readonly failureBy: string | null
  readonly unassigned: number
}

/** The table beside the map. A row that is hovered or focused is highlighted on the map. */
export function ClustersView({ set, clusters, computedAt, failureBy, unassigned }: ClustersViewProps) {
  const { kind } = set
  const search = useSearch({ from: '/app/clusters' })
  const { cluster: pinned = null, sort = 'size', ascending = false } = search
  const navigate = useNavigate({ from: '/app/clusters' })
  const [pointed, setPointed] = useState<string | null>(null)
  const map = useQuery(clusterMapQuery(set, computedAt))
  const { data: runs = [] } = useQuery(clusterRunsQuery(set, computedAt))

  const marks = useMemo(() => mapClusters(clusters), [clusters])
  const markById = useMemo(() => new Map(marks.map((mark) => [mark.id, mark])), [marks])
  const rows = useMemo(
    () => sortClusters(listClusters(clusters, runs), sort, ascending),
    [clusters, runs, sort, ascending],
  )
  const projectRate = projectErrorRate(clusters)
  const mixed = mixedInWords(clusters, runs[0])
  const unassignedInWords = `${formatCount(unassigned)} since the discovery fit no cluster`
  const change = (to: Parameters<typeof changed<ClusterSearch>>[1]) =>
    void navigate({ search: changed(search, to), replace: true, resetScroll: false })
  const sortBy = (by: ClusterSort) =>
    change({ sort: by === 'size' ? undefined : by, ascending: by === sort && !ascending ? true : undefined })
  const pin = (clusterId: string | null) => change({ cluster: clusterId ?? undefined })
  const traces = clusters.reduce((sum, { size }) => sum + size, 0)
  return (
    <div className="flex flex-1 flex-col-reverse justify-end xl:grid xl:min-h-0 xl:grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)]">
      <div className="min-w-0 xl:min-h-0 xl:overflow-y-auto">
        <p className="text-muted border-b px-4 py-2 text-sm">
          {formatCount(traces)} traces
          {kind === 'requests' && projectRate !== null && <>, {formatShare(projectRate)} failed</>}
          {failureBy !== null && (
            <>
              {' '}
              (failed: <bdi>{failureInWords(failureBy)}</bdi>)
            </>
          )}
          {unassigned > 0 && (
            <span className="block">
              {kind === 'failures' && unassignedInWords}
              {kind === 'requests' && (
                <Link to="/app/traces" search={tracesOfCluster(NO_CLUSTER)} className="text-accent hover:underline">
                  {unassignedInWords}
                </Link>
              )}
            </span>
          )}
          {mixed !== null && <span className="block">{mixed}</span>}
        </p>
        <ClusterTable
          rows={rows}
          marks={markById}
          projectRate={projectRate}
          sort={sort}
          ascending={ascending}
          onSort={sortBy}
          pinned={pinned}
          onPin={pin}
          onPoint={setPointed}
        />
        {runs.length > 0 && <RunHistory runs={runs} />}
      </div>
      <div className="flex min-w-0 flex-col border-b xl:min-h-0 xl:border-b-0 xl:border-l">
        {map.data === undefined && map.error === null && <Skeleton className="m-4 h-80 xl:h-auto xl:flex-1" />}
        {map.data === undefined && map.error !== null && <ErrorState error={map.error} onRetry={map.refetch} />}
        {map.data !== undefined && (
          <MapPane
            map={map.data}
            clusters={marks}
            traces={runs[0]?.traces ?? 0}
            focused={pointed ?? pinned}
            fills
            pinned={pinned}
            onUnpin={() => pin(null)}
          />
        )}
      </div>
    </div>
  )
}
