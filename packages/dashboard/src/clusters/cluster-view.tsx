import type { ClusterDetail } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { ClusterId } from '@spoor/contract/ids'
import { clusterMapQuery, clusterRunsQuery, type ClusterSet, clustersQuery } from '../api/clusters.ts'
import { ClusterFacts } from './cluster-facts.tsx'
import { clusterColors } from './cluster-colors.ts'
import { changeOf, projectErrorRate } from './list/listed-clusters.ts'
import { mapClusters } from './map/map-content.ts'
import { MapPane } from './map-pane.tsx'
import { Representatives } from './representatives.tsx'
import { SmallerClusters, useSplit } from './smaller-clusters.tsx'
import { SizeChart } from './list/size-chart.tsx'
import { sizeHistory } from './size-history.ts'
import { PatternsList } from '../patterns/patterns-list.tsx'
import { FailedMembers } from './failed-members.tsx'

export function ClusterView({ detail }: { detail: ClusterDetail }) {
  const { cluster, representative_traces, computed_at, failure_by } = detail
  const { kind } = cluster
  const set: ClusterSet = { kind, ...(cluster.selection_id !== null && { selection_id: cluster.selection_id }) }
  const { data: list } = useQuery(clustersQuery(set))
  const { data: runs = [] } = useQuery(clusterRunsQuery(set, computed_at))
  const { data: map } = useQuery(clusterMapQuery(set, computed_at))
  const split = useSplit(cluster)
  const clusters = useMemo(() => list?.clusters ?? [], [list])
  const marks = useMemo(() => mapClusters(clusters), [clusters])
  const total = clusters.reduce((sum, { size }) => sum + size, 0)
  const differentRequests = representative_traces.filter(
    ({ request }, at, all) => request === null || all.findIndex((other) => other.request === request) === at,
  )
  const history = useMemo(() => sizeHistory(cluster.id, runs), [cluster.id, runs])
  const color = marks.find(({ id }) => id === cluster.id)?.color ?? clusterColors([cluster.id]).get(cluster.id)!
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-6">
        <div className="space-y-3">
          <p className="break-words">
            <bdi>{cluster.description}</bdi>
          </p>
          {cluster.automatic_label !== null && (
            <p className="text-muted text-sm break-words">
              Renamed from <bdi>{cluster.automatic_label}</bdi>
            </p>
          )}
          <ul aria-label="Keywords" className="flex flex-wrap gap-1.5">
            {cluster.keywords.map((keyword, index) => (
              <li key={index} className="bg-hover max-w-full truncate rounded-full px-2.5 py-0.5 text-sm">
                <bdi>{keyword}</bdi>
              </li>
            ))}
          </ul>
        </div>
        <ClusterFacts
          cluster={cluster}
          change={changeOf(cluster.id, runs)}
          share={total === 0 ? null : cluster.size / total}
          projectRate={projectErrorRate(clusters)}
          failureBy={failure_by}
        />
        <Part title="Traces by run">
          <div className="min-h-30">
            <SizeChart history={history} color={color} />
          </div>
        </Part>
        {split.isShown && (
          <Part title="Smaller clusters" note="What a discovery among the traces of this cluster finds.">
            <SmallerClusters cluster={cluster} />
          </Part>
        )}
        {cluster.error_rate > 0 && (
          <Part title="Failed traces">
            <FailedMembers clusterId={cluster.id} failureBy={failure_by} />
          </Part>
        )}
        {cluster.error_rate > 0 && (kind === 'failures' || cluster.error_rate < 1) && (
          <Part
            title="Why they fail"
            note={`What failed traces have that ${kind === 'failures' ? 'those that did not fail' : 'others of the cluster'} have not, or less often.`}
          >
            <PatternsList search={{ cluster: cluster.id as ClusterId, range: 'all' }} allFailed={kind === 'failures'} />
          </Part>
        )}
        <Part
          title={kind === 'failures' ? 'Typical failures' : 'Typical requests'}
          note={
            cluster.mixed
              ? 'The first two are from the two groups in this cluster, which are clearly apart. Its name is that of the larger group.'
              : 'Near the centre of the cluster, equal ones once. The first two differ most.'
          }
        >
          <Representatives traces={differentRequests} />
        </Part>
      </div>
      <section
        aria-label="On the map"
        className="flex h-fit flex-col overflow-hidden rounded-lg border lg:sticky lg:top-4"
      >
        {map === undefined || clusters.length === 0 ? (
          <div className="h-80 sm:h-112" />
        ) : (
          <MapPane map={map} clusters={marks} traces={runs[0]?.traces ?? 0} focused={cluster.id} />
        )}
      </section>
    </div>
  )
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="space-y-2">
      <h2 className="font-semibold">{title}</h2>
      {note !== undefined && <p className="text-muted text-sm">{note}</p>}
      {children}
    </section>
  )
}
