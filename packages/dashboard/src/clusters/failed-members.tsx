import { FILTER_VALUES_MAX } from '@spoor/contract/limits'
import type { ClusterId } from '@spoor/contract/ids'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import type { Filters } from '../api/client/feed.ts'
import { divergenceQuery } from '../api/insight.ts'
import { groupsQuery } from '../api/series.ts'
import { traceListQuery } from '../api/trace.ts'
import { formatCount } from '../lib/format-number.ts'
import { toggled } from '../lib/toggled.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { failedIn } from './failure-words.ts'
import { Representatives } from './representatives.tsx'
import { tracesOfCluster } from './traces-of-cluster.ts'

/** Where lines of links wrap, each must be high enough to be touched. */
const LINK = 'text-accent flex min-h-6 items-center underline'

/** Failed traces of a cluster, the newest first, by the types of their errors; and the way to all of them. */
export function FailedMembers({ clusterId, failureBy }: { clusterId: string; failureBy: string }) {
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
