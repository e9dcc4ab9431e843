import type { ClusterDetail } from '@spoor/contract/schemas/cluster'
import { Link } from '@tanstack/react-router'

/** Traces to read in place of all. */
export function Representatives({ traces }: { traces: ClusterDetail['representative_traces'] }) {
  if (traces.length === 0) return <p className="text-muted text-sm">None is left: they have been deleted.</p>
  return (
    <ol className="divide-y rounded-lg border">
      {traces.map(({ id, name, similarity }) => (
        <li key={id}>
          <Link
            to="/app/traces/$traceId"
            params={{ traceId: id }}
            className="hover:bg-hover flex items-center gap-3 px-3 py-2 text-sm -outline-offset-2"
          >
            <span className="min-w-0 flex-1">
              <bdi className="block truncate font-medium" title={name}>
                {name}
              </bdi>
              <span className="text-muted block truncate font-mono text-xs">{id}</span>
            </span>
            <span aria-hidden className="bg-hover h-1 w-16 overflow-hidden rounded-full">
              <span
                className="bg-accent block h-full rounded-full"
                style={{ width: `${100 * Math.max(0, similarity)}%` }}
              />
            </span>
            <span className="text-muted w-10 text-right tabular-nums" title="Cosine to the middle of the cluster">
              {similarity.toFixed(2)}
            </span>
          </Link>
        </li>
      ))}
    </ol>
  )
}
