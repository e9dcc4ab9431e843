import type { Monitor, MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { monitorHistoryQuery } from '../api/monitors.ts'
import { boundsOf, type TimeRange } from '../lib/time-range.ts'
import { ErrorText } from '../ui/error-text.tsx'
import { More } from '../ui/more.tsx'
import { Loading, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { firedTimes, historyIsBehind } from './monitor-words.ts'
import { ListedRows } from '../explore/point-rows.tsx'
import { GroupName } from './group-name.tsx'
import { HistoryTable } from './history-table.tsx'
import { MonitorChart } from './monitor-chart.tsx'
import { draftOfMonitor, toMonitor } from './form/monitor-draft.ts'
import { previewQuery } from './form/preview-query.ts'
import { tracesBehind } from './traces-behind.ts'

interface MonitorHistoryViewProps {
  readonly monitor: Monitor
  readonly range: TimeRange
  onZoom(from: number, to: number): void
}

/** History pages loaded to draw all firings of the range. */
const PAGES_MAX = 10
const REFETCH_MS = 30_000

/** The evaluated values, by the current definition, with firings and all state changes. */
export function MonitorHistoryView({ monitor, range, onZoom }: MonitorHistoryViewProps) {
  const { name: _name, ...definition } = toMonitor(draftOfMonitor(monitor))
  const values = useQuery({
    ...previewQuery(definition, range),
    refetchInterval: range.kind === 'between' ? false : REFETCH_MS,
  })
  const history = useInfiniteQuery(monitorHistoryQuery(monitor.id))
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = history
  const entries = useMemo(() => data?.pages.flatMap((page) => page.history), [data])
  const { state, state_since: since } = monitor
  const isBehind = entries !== undefined && historyIsBehind(monitor, entries)
  // The header shows a newer state than the history.
  useEffect(() => {
    if (isBehind) void refetch()
  }, [isBehind, state, since, refetch])
  const rangeKey = JSON.stringify(range)
  const oldest = entries?.at(-1)?.at
  const pages = data?.pages.length ?? 0
  useEffect(() => {
    const { from } = boundsOf(JSON.parse(rangeKey) as TimeRange, Date.now())
    const reaches = oldest === undefined || (from !== null && Date.parse(oldest) < from)
    if (!reaches && hasNextPage && !isFetchingNextPage && pages < PAGES_MAX) void fetchNextPage()
  }, [rangeKey, oldest, pages, hasNextPage, isFetchingNextPage, fetchNextPage])
  // The filters of another revision are not known.
  const breach = entries?.find(({ to, revision }) => to === 'fired' && revision === monitor.revision)
  const fired = useMemo(() => firedTimes(entries?.toReversed() ?? [], Date.now()), [entries])
  return (
    <>
      <section aria-label="Values" className="border-b px-4 py-3">
        <Loading query={values} placeholder={<Skeleton className="h-80" />} />
        {values.data !== undefined && (
          <div aria-busy={values.isPlaceholderData} className="aria-busy:opacity-60">
            <ErrorText error={values.error} />
            {values.data.evaluations.length === 0 ? (
              <p className="text-muted">No data in this range.</p>
            ) : (
              <MonitorChart
                definition={definition}
                evaluations={values.data.evaluations}
                fired={fired}
                height={280}
                onZoom={onZoom}
              />
            )}
          </div>
        )}
      </section>
      {breach !== undefined && <BehindBreach monitor={monitor} entry={breach} />}
      <section aria-labelledby="changes">
        <h2 id="changes" className="px-4 py-2.5 font-semibold">
          State changes
        </h2>
        <Loading query={history} rows={4} />
        {isBehind && entries.length === 0 && <SkeletonRows rows={1} />}
        {!isBehind && entries?.length === 0 && <p className="text-muted px-4 pb-4">Never fired</p>}
        {entries !== undefined && entries.length > 0 && (
          <>
            <HistoryTable monitor={monitor} entries={entries} />
            <More query={history} end="End of history" />
          </>
        )}
      </section>
    </>
  )
}

/** The rows that the latest breach counted; of a metric, the traces with such a score in its window. */
function BehindBreach({ monitor, entry }: { monitor: Monitor; entry: MonitorHistoryEntry }) {
  const search = tracesBehind(monitor, entry.at, entry.group)
  if (search === null) return null
  const title = monitor.source.kind === 'steps' ? 'Steps' : 'Traces'
  return (
    <section aria-labelledby="behind" className="border-b">
      <h2 id="behind" className="px-4 py-2.5 font-semibold">
        {title} behind the latest breach
        {entry.group !== null && (
          <span className="text-muted font-normal">
            {' '}
            of <GroupName forEach={monitor.for_each} group={entry.group} />
          </span>
        )}
      </h2>
      <ListedRows search={search} title={title} />
    </section>
  )
}
