import type { ClusterId } from '@spoor/contract/ids'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { asApiError } from '../api/client/api-error.ts'
import { traceListQuery } from '../api/trace-list.ts'
import { failedIn } from './failure-words.ts'
import { Representatives } from './representatives.tsx'
import { tracesOfCluster } from './traces-of-cluster.ts'

/** The newest failed traces of a cluster, by what was asked and what came out. */
export function FailedMembers({ clusterId, failureBy }: { clusterId: string; failureBy: string }) {
  const { filters, search } = failedIn(failureBy)
  const { data, error } = useInfiniteQuery(traceListQuery({ cluster: clusterId as ClusterId, ...filters, limit: 5 }))
  if (error !== null) return <p className="text-fail text-sm">{asApiError(error).message}</p>
  const page = data?.pages[0]
  if (page === undefined) return null
  return (
    <>
      <Representatives
        traces={page.traces.map((trace) => ({ ...trace, request: trace.input_preview, similarity: 1 }))}
      />
      {page.next_cursor !== null && (
        <Link to="/app/traces" search={{ ...tracesOfCluster(clusterId), ...search }} className="text-accent underline">
          View all failed traces
        </Link>
      )}
    </>
  )
}
