import { FILTER_VALUES_MAX } from '@spoor/contract/limits'
import type { ClusterDetail, ListedCluster } from '@spoor/contract/schemas/cluster'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import type { ClusterId } from '@spoor/contract/ids'
import { asApiError } from '../api/client/api-error.ts'
import type { Filters } from '../api/client/feed.ts'
import { clusterMapQuery, clusterRunsQuery, type ClusterSet, clustersQuery } from '../api/clusters.ts'
import { divergenceQuery } from '../api/insight.ts'
import { groupsQuery } from '../api/series.ts'
import { traceListQuery } from '../api/trace.ts'
import { formatCount, formatShare } from '../lib/format-number.ts'
import { toggled } from '../lib/toggled.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { Time } from '../ui/time.tsx'
import { clusterColors } from './cluster-colors.ts'
import { ErrorRate } from './error-rate.tsx'
import { failedIn, failureInWords } from './failure-words.ts'
import { ChangeBadge } from './list/change-badge.tsx'
import { type Change, changeOf, projectErrorRate } from './list/listed-clusters.ts'
import { mapClusters } from './map/map-content.ts'
import { MapPane } from './map-pane.tsx'
import { Representatives } from './representatives.tsx'
import { SmallerClusters, useSplit } from './smaller-clusters.tsx'
import { SizeChart } from './list/size-chart.tsx'
import { sizeHistory } from './size-history.ts'
import { PatternsList } from '../patterns/patterns-list.tsx'
import { tracesOfCluster } from './traces-of-cluster.ts'

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
          {cluster.parent !== null && (
            <p className="text-muted text-sm break-words">
              Topic: <bdi>{cluster.parent}</bdi>
            </p>
          )}
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

/** Where lines of links wrap, each must be high enough to be touched. */
const LINK = 'text-accent flex min-h-6 items-center underline'

/** Failed traces of a cluster, the newest first, by the types of their errors; and the way to all of them. */
function FailedMembers({ clusterId, failureBy }: { clusterId: string; failureBy: string }) {
  const [types, setTypes] = useState<ReadonlySet<string>>(new Set())
  const { filters, search } = failedIn(failureBy)
  const failed = { cluster: clusterId as ClusterId, ...filters }
  const ofTypes = types.size === 0 ? {} : { error_type: [...types] }
  const { data, error } = useInfiniteQuery({
    ...traceListQuery({ ...failed, ...ofTypes, limit: 5 }),
    placeholderData: keepPreviousData,
  })
  const page = data?.pages[0]
  const newest = page?.traces[0]?.id
  const { data: beside } = useQuery({ ...divergenceQuery(newest ?? '', failureBy), enabled: newest !== undefined })
  const nearest = beside?.compared_with[0]
  if (error !== null) return <p className="text-fail text-sm">{asApiError(error).message}</p>
  if (page === undefined) return null
  const listed = { ...tracesOfCluster(clusterId), ...search, ...ofTypes }
  return (
    <>
      <ErrorTypes of={failed} types={types} onChange={setTypes} />
      <Representatives
        traces={page.traces.map((trace) => ({ ...trace, request: trace.input_preview, similarity: 1 }))}
      />
      <p className="flex flex-wrap gap-x-4">
        {page.next_cursor !== null && (
          <Link to="/app/traces" search={listed} className={LINK}>
            View all failed traces
          </Link>
        )}
        <Link to="/app/traces" search={{ ...listed, as: 'chart', group_by: 'error_type' }} className={LINK}>
          By error type
        </Link>
        {newest !== undefined && nearest !== undefined && (
          <Link to="/app/traces/compare" search={{ left: nearest.id, right: newest }} className={LINK}>
            Compare the newest with its nearest success
          </Link>
        )}
      </p>
    </>
  )
}

interface ErrorTypesProps {
  /** The filters of the failed traces. */
  readonly of: Filters['filters']
  readonly types: ReadonlySet<string>
  onChange(types: ReadonlySet<string>): void
}

/** The types of their errors with the number of traces; chosen ones narrow the list. */
function ErrorTypes({ of, types, onChange }: ErrorTypesProps) {
  const subject = { rows: 'traces', measure: 'count', stat: 'count', of: { filters: of, metadata: [] } } as const
  const limit = FILTER_VALUES_MAX
  const { data = [] } = useQuery(
    groupsQuery({ subject, range: { kind: 'all' }, bucket: null, groupBy: ['error_type'], limit }),
  )
  const found = data.filter(({ group }) => group !== null)
  if (found.length === 0) return null
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
      <legend className="sr-only">Error types</legend>
      {found.map(({ group, count }) => {
        const type = String(group)
        return (
          <Checkbox
            key={type}
            checked={types.has(type)}
            onChange={() => onChange(toggled(types, type))}
            label={
              <>
                <bdi className="break-all">{type.slice(0, 200)}</bdi>{' '}
                <span className="text-muted font-normal tabular-nums">{formatCount(count)}</span>
              </>
            }
          />
        )
      })}
    </fieldset>
  )
}

interface ClusterFactsProps {
  readonly cluster: ListedCluster
  readonly change: Change
  /** Of all clustered traces; null until that is known. */
  readonly share: number | null
  readonly projectRate: number | null
  /** Which traces count as failed. */
  readonly failureBy: string
}

function ClusterFacts({ cluster, change, share, projectRate, failureBy }: ClusterFactsProps) {
  const isOfFailures = cluster.kind === 'failures'
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-5">
      <Fact name="Traces">
        <span className="text-lg font-semibold tabular-nums">{formatCount(cluster.size)}</span>
        {share !== null && <span className="text-muted text-sm"> {formatShare(share)} of all</span>}
      </Fact>
      {isOfFailures ? (
        <Fact name="Failed">
          <p className="break-words">
            All: <bdi>{failureInWords(failureBy)}</bdi>
          </p>
        </Fact>
      ) : (
        <Fact name="Error rate">
          <ErrorRate cluster={cluster} projectRate={projectRate} />
          {projectRate !== null && <p className="text-muted mt-1 text-xs">Project: {formatShare(projectRate)}</p>}
          <p className="text-muted text-xs break-words">
            Failed: <bdi>{failureInWords(failureBy)}</bdi>
          </p>
        </Fact>
      )}
      <Fact name="Tightness">
        <span className="text-lg font-semibold tabular-nums" title="Mean similarity of its traces to the centre">
          {cluster.tightness.toFixed(2)}
        </span>
        <p className="text-muted text-xs">
          {cluster.mixed ? `Mixed ${cluster.kind}` : `One kind of ${isOfFailures ? 'failure' : 'request'}`}
        </p>
      </Fact>
      <Fact name="Since last run">
        <ChangeBadge change={change} />
      </Fact>
      <Fact name="First seen">
        <Time at={cluster.first_seen_at} />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="bg-ground min-w-0 p-3 max-sm:last:col-span-2">
      <dt className="text-muted mb-1 text-xs">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
