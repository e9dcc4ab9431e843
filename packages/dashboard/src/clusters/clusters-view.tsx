import type { ClusterRun, ListedCluster } from '@spoor/contract/schemas/cluster'
import { NO_CLUSTER } from '@spoor/contract/trace-filters'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { clusterMapQuery, clusterRunsQuery, type ClusterSet } from '../api/clusters.ts'
import { formatDuration } from '../lib/format-time.ts'
import { ColumnHeads } from '../ui/column-heads.tsx'
import { Time } from '../ui/time.tsx'
import { clusterName } from './cluster-name.ts'
import { hoursInWords } from './discovery/discovery-words.ts'
import { failureInWords } from './failure-words.ts'
import { formatCount, formatShare, formatValue } from '../lib/format-number.ts'
import { changed } from '../lib/search.ts'
import { ErrorState, Skeleton } from '../ui/states.tsx'
import { ClusterTable } from './list/cluster-table.tsx'
import { endedClusters, listClusters, mixedInWords, projectErrorRate, sortClusters } from './list/listed-clusters.ts'
import { mapClusters } from './map/map-content.ts'
import { MapPane } from './map-pane.tsx'
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

function RunHistory({ runs }: { runs: readonly ClusterRun[] }) {
  const ended = endedClusters(runs)
  return (
    <details className="group px-4 py-3">
      <summary className="text-muted hover:text-ink w-fit text-sm font-medium">
        {runs.length === 1 ? '1 run' : `${formatCount(runs.length)} runs`} stored
      </summary>
      {ended.length > 0 && (
        <p className="text-muted mt-2 text-sm break-words">
          Not found by the last run:{' '}
          {ended.map((cluster, index) => (
            <span key={cluster.id}>
              {index > 0 && ', '}
              <bdi className="text-ink">{clusterName(cluster).slice(0, 80)}</bdi> ({formatCount(cluster.size)})
            </span>
          ))}
        </p>
      )}
      <div className="mt-2 overflow-x-auto rounded-lg border" tabIndex={0} role="region" aria-label="Runs">
        <table className="w-full text-left text-sm whitespace-nowrap">
          <thead className="text-muted bg-sunken text-xs">
            <tr>
              <ColumnHeads
                className="px-2 py-1.5 font-medium"
                of={['Computed', 'Window', 'Traces', 'Clusters', 'New', 'Shifted', 'Ended', 'Cohesion', 'Duration']}
              />
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.id} className="border-t tabular-nums">
                <th scope="row" className="px-2 py-1.5 font-normal">
                  <Time at={run.computed_at} />
                </th>
                <td className="px-2 py-1.5">{hoursInWords(run.window_hours)}</td>
                <td className="px-2 py-1.5">{formatCount(run.traces)}</td>
                <td className="px-2 py-1.5" title={`Requested: ${run.k_min} to ${run.k_max}`}>
                  {run.clusters.length}
                </td>
                <td className="px-2 py-1.5">{run.created}</td>
                <td className="px-2 py-1.5">{run.shifted}</td>
                <td className="px-2 py-1.5">{run.ended}</td>
                <td
                  className="px-2 py-1.5"
                  title={`Cohesion: mean similarity of traces to the centre of their cluster. Silhouette ${formatValue(run.quality.silhouette)}: how much closer traces are to their own cluster than to the next. Embedder ${run.embedder_version}`}
                >
                  {run.quality.cohesion.toFixed(2)}
                </td>
                <td className="px-2 py-1.5">{formatDuration(run.duration_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
