import type { ClusterRun } from '@spoor/contract/schemas/cluster'
import { formatDuration } from '../lib/format-time.ts'
import { formatCount, formatValue } from '../lib/format-number.ts'
import { ColumnHeads } from '../ui/column-heads.tsx'
import { Time } from '../ui/time.tsx'
import { clusterName } from './cluster-name.ts'
import { hoursInWords } from './discovery/discovery-words.ts'
import { endedClusters } from './list/listed-clusters.ts'

export function RunHistory({ runs }: { runs: readonly ClusterRun[] }) {
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
