import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { similarQuery } from '../../api/insight.ts'
import { Loading, Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** The traces that are most like this one, with their status and what they were asked. */
export function SimilarRuns({ traceId }: { readonly traceId: string }) {
  const query = useQuery(similarQuery(traceId))
  const traces = query.data?.traces
  if (traces === undefined) return <Loading query={query} placeholder={<Skeleton className="h-24" />} />
  if (traces.length === 0) return <p className="text-muted text-sm">No other trace is like it.</p>
  return (
    <ul className="divide-y rounded-lg border text-sm">
      {traces.map(({ id, name, status, similarity, created_at: createdAt, input_preview: input }) => (
        <li key={id} className="px-3 py-1.5">
          <Link to="/app/traces/$traceId" params={{ traceId: id }} className="text-accent block truncate underline">
            <bdi>{input ?? name}</bdi>
          </Link>
          <span className={status === 'error' ? 'text-fail' : 'text-muted'}>{status}</span>
          <span className="text-muted">
            {' '}
            · {Math.round(similarity * 100)} % alike · <Time at={createdAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
