import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import { Link } from '@tanstack/react-router'
import { Bot, Check, CodeXml, User, X } from 'lucide-react'
import { metricEventsQuery } from '../../api/metrics.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { More } from '../../ui/more.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { groupOfKey } from '../lines.ts'
import { PointHeading } from './point-heading.tsx'
import type { ChangeSearch, MetricSearch } from '../search.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { useListedTimes } from './point-bounds.ts'
import { eventValue } from '../../lib/score-value.ts'
import { eventLabel, valueChoices } from './event-value.ts'
import { eventFilterOfGroup } from '../../explore/groups.ts'
import { SOURCE_LABELS } from '../../lib/metric-sources.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'

/** Pages to search for a value before the reader is asked to continue. */
const PAGES_WITHOUT_ASKING = 10

interface PointEventsProps {
  readonly metric: Metric
  readonly search: MetricSearch
  readonly range: TimeRange
  readonly bucketMs: number
  readonly onSearch: ChangeSearch
}

export function PointEvents({ metric, ...point }: PointEventsProps) {
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

const ICONS = { human: User, code: CodeXml, llm: Bot } as const

function EventRow({ event, metric }: { event: MetricEvent; metric: Metric }) {
  const { passed, source, comment, trace_id, step_id, at } = event
  const tone: Tone = passed === null ? 'plain' : passed ? 'ok' : 'fail'
  const Icon = source === null ? null : ICONS[source]
  const label = eventLabel(event, metric)
  return (
    <li className="hover:bg-hover focus-within:bg-hover relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b px-4 py-1.5 text-sm md:grid-cols-[8rem_minmax(0,1fr)_6rem_11rem_7rem]">
      <span className="min-w-0 tabular-nums">
        <Badge tone={tone}>
          {passed === true && <Check className="size-3" aria-hidden />}
          {passed === false && <X className="size-3" aria-hidden />}
          <bdi title={label} className="truncate">
            {label}
          </bdi>
        </Badge>
      </span>
      <Time at={at} className="text-muted relative z-1 text-right md:order-last" />
      <bdi className="min-w-0 truncate" title={comment ?? undefined}>
        {comment?.slice(0, 500)}
      </bdi>
      <span className="text-muted flex items-center justify-end gap-1.5 md:justify-start">
        {Icon !== null && <Icon className="size-3.5 shrink-0" aria-hidden />} {source !== null && SOURCE_LABELS[source]}
      </span>
      <Link
        to="/app/traces/$traceId"
        params={{ traceId: trace_id }}
        search={step_id === null ? {} : { step: step_id }}
        className="text-accent col-span-2 truncate font-mono text-xs after:absolute after:inset-0 md:col-span-1"
        title={step_id === null ? trace_id : `${trace_id}, ${step_id}`}
      >
        {step_id === null ? 'trace' : 'step'} …{(step_id ?? trace_id).slice(-8)}
      </Link>
    </li>
  )
}
