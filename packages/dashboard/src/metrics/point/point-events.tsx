import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useInfiniteQuery } from '@tanstack/react-query'
import { metricEventsQuery } from '../../api/metrics.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { More } from '../../ui/more.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { EventRow } from './event-row.tsx'
import { groupOfKey } from '../lines.ts'
import { PointHeading } from './point-heading.tsx'
import type { PointProps } from '../viewed-series.ts'
import { useListedTimes } from '../use-listed-times.ts'
import { eventValue, valueChoices } from './event-value.ts'
import { eventFilterOfGroup } from './trace-group.ts'

/** Pages to search for a value before the reader is asked to continue. */
const PAGES_WITHOUT_ASKING = 10

/** The events of a chosen bucket, or of the whole range. */
export function PointEvents({ metric, ...point }: PointProps & { readonly metric: Metric }) {
  const { search, range, bucketMs, onSearch } = point
  const { at, group_by: groupBy, group: groupKey, value: wanted } = search
  const times = useListedTimes(at, range, bucketMs)
  const group = groupKey === undefined ? undefined : groupOfKey(groupKey)
  const narrowed = group === undefined || groupBy === undefined ? {} : eventFilterOfGroup(groupBy, group)
  const source = search.source === undefined ? {} : { source: search.source }
  const query = useInfiniteQuery(metricEventsQuery({ name: metric.name, ...times, ...source, ...narrowed }))
  const { data, hasNextPage, fetchNextPage } = query
  const events = data?.pages.flatMap((page) => page.events)
  const listed = wanted === undefined ? events : events?.filter((event) => eventValue(event) === wanted)
  const pages = data?.pages.length ?? 0
  const asks = wanted !== undefined && hasNextPage && pages % PAGES_WITHOUT_ASKING === 0
  const choices = valueChoices(metric)
  return (
    <section aria-labelledby="listed" className="flex flex-1 flex-col">
      <PointHeading {...point} title="Events" rows="events" isFiltered={narrowed !== null}>
        {choices.length > 0 && (
          <Select
            aria-label="Filter by value"
            className="w-auto! max-w-60"
            value={wanted ?? ''}
            onChoice={(value) => onSearch({ value: value || undefined }, true)}
            options={[['', 'All values'], ...choices.map(({ value, label }) => [value, label] as const)]}
          />
        )}
      </PointHeading>
      <Loading query={query} rows={6} />
      {events?.length === 0 && (
        <EmptyState title="No events">
          No events of this metric in this range. Choose a longer range, or record events with POST /v1/metrics/events.
        </EmptyState>
      )}
      {listed !== undefined && events?.length !== 0 && (
        <>
          <ul className="border-t">
            {listed.map((event) => (
              <EventRow key={event.id} event={event} metric={metric} />
            ))}
          </ul>
          {asks ? (
            <p className="flex items-center gap-3 px-4 py-3 text-sm">
              <span className="text-muted">
                {listed.length} matches in the newest {events?.length}.
              </span>
              <Button onClick={() => void fetchNextPage()}>Search older events</Button>
            </p>
          ) : (
            <More query={query} end={listed.length === 0 ? 'No event has this value.' : 'End of list'} />
          )}
        </>
      )}
    </section>
  )
}
