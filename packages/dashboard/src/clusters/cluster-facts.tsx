import type { ListedCluster } from '@spoor/contract/schemas/cluster'
import type { ReactNode } from 'react'
import { formatCount, formatShare } from '../lib/format-number.ts'
import { Time } from '../ui/time.tsx'
import { ChangeBadge } from './list/change-badge.tsx'
import { failureInWords } from './failure-words.ts'
import { ErrorRate } from './error-rate.tsx'
import type { Change } from './list/listed-clusters.ts'

interface ClusterFactsProps {
  readonly cluster: ListedCluster
  readonly change: Change
  /** Of all clustered traces; null until that is known. */
  readonly share: number | null
  readonly projectRate: number | null
  /** Which traces count as failed. */
  readonly failureBy: string
}

export function ClusterFacts({ cluster, change, share, projectRate, failureBy }: ClusterFactsProps) {
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
