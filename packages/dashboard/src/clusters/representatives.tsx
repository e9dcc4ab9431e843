import type { RepresentativeTrace } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { traceRowQuery } from '../api/trace.ts'
import { formatSteps } from '../lib/format-number.ts'
import { Badge } from '../ui/badge.tsx'
import { Time } from '../ui/time.tsx'

/** From this similarity on, the number tells nothing. */
const TYPICAL = 0.9

type Shown = RepresentativeTrace & { readonly output_preview?: string | null }

/** Traces of the cluster, by what their users asked, and by what came out if it is given. */
export function Representatives({ traces }: { traces: readonly Shown[] }) {
  if (traces.length === 0) return <p className="text-muted text-sm">None left: these traces were deleted.</p>
  return (
    <ol className="divide-y rounded-lg border">
      {traces.map((trace) => (
        <li key={trace.id}>
          <Representative trace={trace} />
        </li>
      ))}
    </ol>
  )
}

function Representative({ trace }: { trace: Shown }) {
  const { id, name, request, similarity, output_preview: output } = trace
  const { data: row } = useQuery(traceRowQuery(id))
  return (
    <Link
      to="/app/traces/$traceId"
      params={{ traceId: id }}
      className="hover:bg-hover flex items-center gap-3 px-3 py-2 text-sm -outline-offset-2"
    >
      <span className="min-w-0 flex-1">
        <bdi className="line-clamp-3 block font-medium break-words">{request ?? name}</bdi>
        <span className="text-muted block h-4 truncate text-xs" title={id}>
          {row !== undefined && (
            <>
              <Time at={row.created_at} /> · {formatSteps(row.step_count)}
            </>
          )}
          {request !== null && (
            <>
              {row !== undefined && ' · '}
              <bdi title={name}>{output ?? name}</bdi>
            </>
          )}
        </span>
      </span>
      {row?.status === 'error' && <Badge tone="fail">Failed</Badge>}
      {similarity < TYPICAL && (
        <span className="text-muted text-right tabular-nums" title="Cosine similarity to the centre of the cluster">
          similarity {similarity.toFixed(2)}
        </span>
      )}
    </Link>
  )
}
