import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { deleteUser, matchingQuery } from '../api/deletions.ts'
import { listQuery, userQuery } from '../api/summaries.ts'
import { formatTraces } from '../lib/format-number.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { toTimeRange, toTimeRangeSearch, type TimeRange } from '../lib/time-range.ts'
import { Button } from '../ui/button.tsx'
import { type AskProps, DeletionDialog } from '../ui/deletion-dialog.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Field, Input } from '../ui/field.tsx'
import { More } from '../ui/more.tsx'
import { EmptyState, Loading, Skeleton } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { useSilentAction } from '../ui/use-action.ts'
import { SummaryFacts, SummaryHeader } from './summary-header.tsx'
import { toSummaryRequest } from './summary-request.ts'
import { SummaryTable } from './summary-table.tsx'
import { seriesQuery } from '../api/series.ts'
import { toModel, wholeLine } from '../metrics/lines.ts'
import { measureOf } from '../explore/measures.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'

export const route = createLazyRoute('/app/users/$userId')({ component: UserScreen })

function UserScreen() {
  const { userId } = route.useParams()
  const search = route.useSearch()
  const mayDelete = useMay('manage')
  const navigate = route.useNavigate()
  const range = toTimeRange(search)
  const ofUser = toSummaryRequest({ ...toTimeRangeSearch(range), user_id: userId }, 'all')
  const user = useQuery(userQuery(ofUser))
  const query = useInfiniteQuery(listQuery('sessions', ofUser))
  const sessions = query.data?.pages.flatMap((page) => page.sessions) ?? []
  return (
    <>
      <SummaryHeader
        id={userId}
        field="user_id"
        range={range}
        actions={
          <>
            <TimeRangePicker value={range} onChange={(next) => void navigate({ search: toTimeRangeSearch(next) })} />
            {mayDelete && (
              <DeletionDialog title="Delete the user" offered>
                {(ask) => <Ask {...ask} userId={userId} />}
              </DeletionDialog>
            )}
          </>
        }
      />
      <Loading query={user} rows={2} />
      {user.data === null && (
        <EmptyState title="No traces in this range">
          No trace of this time ran for this user. Choose a longer time range.
        </EmptyState>
      )}
      {user.data !== undefined && user.data !== null && (
        <>
          <SummaryFacts summary={user.data} range={range} />
          <div className="grid gap-x-6 gap-y-4 border-b px-4 py-3 lg:grid-cols-2">
            <UserChart userId={userId} measure="cost_usd" stat="sum" title="Cost" range={range} />
            <UserChart userId={userId} measure="error_rate" stat="errors" title="Failed traces" range={range} />
          </div>
          <h2 className="px-4 pt-3 text-sm font-semibold">Sessions</h2>
          <Loading query={query} />
          {query.data !== undefined && sessions.length === 0 && (
            <p className="text-muted px-4 py-3 text-sm">No trace of this time names a session.</p>
          )}
          {sessions.length > 0 && (
            <>
              <SummaryTable
                of="sessions"
                rows={sessions}
                listKey={query.isPlaceholderData ? null : JSON.stringify(ofUser)}
                ofOneUser
              />
              <More query={query} end="End of list." />
            </>
          )}
        </>
      )}
    </>
  )
}

interface UserChartProps {
  readonly userId: string
  readonly measure: 'cost_usd' | 'error_rate'
  /** Of the statistics of the measure. */
  readonly stat: string
  readonly title: string
  readonly range: TimeRange
}

const HEIGHT = 160

function UserChart({ userId, measure, stat, title, range }: UserChartProps) {
  const { statistics, subject } = measureOf(measure)
  const statistic = statistics.find(({ id }) => id === stat) ?? statistics[0]
  const query = useQuery(
    seriesQuery({ subject: subject({ filters: { user_id: userId }, metadata: [] }, statistic), range, bucket: null }),
  )
  const { data } = query
  const model = useMemo(
    () => (data === undefined ? null : toModel(data, statistic, [wholeLine(data, statistic)])),
    [data, statistic],
  )
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-1 text-sm font-semibold">{title}</h2>
      <Loading query={query} placeholder={<Skeleton className="h-40" />} />
      {model !== null && <SeriesChart label={title} model={model} height={HEIGHT} />}
    </section>
  )
}

/** Deletes all data of a user, whatever the time range. */
function Ask({ userId, onStarted, onCancel }: AskProps & { readonly userId: string }) {
  const [typed, setTyped] = useState('')
  const { data, error } = useQuery(matchingQuery({ user_id: [userId] }))
  const start = useSilentAction(() => deleteUser(userId), { onSuccess: ({ job_id }) => onStarted(job_id) })
  return (
    <div className="space-y-4">
      <p>
        {data === undefined ? 'Counting the traces…' : `This user has ${formatTraces(data.count)}, over all time.`}{' '}
        Their steps, metric events and media are deleted too. Clusters lose their names until the next discovery. This
        cannot be undone.
      </p>
      <Field label="Type the id of the user to confirm">
        <Input autoComplete="off" placeholder={userId} value={typed} onText={setTyped} />
      </Field>
      <ErrorText error={start.error ?? error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="danger" disabled={typed !== userId || start.isPending} onClick={() => start.mutate()}>
          Delete the user
        </Button>
      </div>
    </div>
  )
}
