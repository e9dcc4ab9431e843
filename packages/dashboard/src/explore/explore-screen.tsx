import { CLUSTER_WINDOW_HOURS_MAX } from '@spoor/contract/limits'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, createLazyRoute, useNavigate } from '@tanstack/react-router'
import { Bell, PanelLeft, Shapes } from 'lucide-react'
import { useRef, useState } from 'react'
import { CLUSTERS_KEY, discoverClusters } from '../api/clusters.ts'
import { listQuery } from '../api/summaries.ts'
import { NoMatch } from '../traces/list/no-match.tsx'
import { withSortBy } from '../traces/list/sort-choice.ts'
import { More } from '../ui/more.tsx'
import { useAction } from '../ui/use-action.ts'
import { Facets } from './facets.tsx'
import { monitored } from './monitored.ts'
import { useMediaQuery } from '../lib/hooks/use-media-query.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { store, useStored } from '../lib/hooks/use-stored.ts'
import { changed } from '../lib/search.ts'
import {
  LAST_RANGES,
  NO_RANGE,
  type TimeRange,
  toSeriesRange,
  toTimeRange,
  toTimeRangeSearch,
} from '../lib/time-range.ts'
import { measureOf, useMeasures } from './measures.ts'
import { PinMenu } from './pin-menu.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { ExportMenu } from '../ui/export-menu.tsx'
import { ownScript } from '../ui/own-script.tsx'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { Loading, Skeleton } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { DeleteMatching } from '../traces/delete-matching.tsx'
import { withFilter, withoutFilter } from '../traces/filters/feed-filters.ts'
import { FilterBar } from '../traces/filters/filter-bar.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { WhyButton } from '../patterns/why-button.tsx'
import { ReviewMenu } from '../traces/review-menu.tsx'
import { TableForm } from '../traces/table-form.tsx'
import { isChanged, toViewBody } from '../traces/views/view-search.ts'
import { useOpenView } from '../traces/views/use-open-view.ts'
import { ViewsMenu } from '../traces/views/views-menu.tsx'
import { StepsTable } from './steps-table.tsx'

export const route = createLazyRoute('/app/traces')({ component: ExploreScreen })

/** Charts have a library of their own. */
const ChartForm = ownScript(() => import('./chart-form.tsx').then((module) => module.ChartForm))

/** Narrower windows get cards. */
const NARROW = '(max-width: 47.99rem)'
/** Local storage key: whether the values are shown beside the list. */
const SHOWS_VALUES = 'spoor.shows-values'

/** One query of traces and their steps: what is in the filter bar, shown as a table, as steps or as a chart. */
function ExploreScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = useMediaQuery(NARROW)
  const [adding, setAdding] = useState(false)
  const [isNew, setIsNew] = useState(false)
  const [listed, setListed] = useState(false)
  const [actions, setActions] = useState<HTMLElement | null>(null)
  const searchRef = useRef<HTMLInputElement>(null)
  const view = useOpenView(search)
  const mayScore = useMay('ingest')
  const mayManage = useMay('manage')
  const showsValues = useStored(localStorage, SHOWS_VALUES) === 'yes'
  const { as } = search
  const range = as === 'chart' ? toSeriesRange(search) : toTimeRange(search, 'all')
  const change = (next: FeedSearch, { replace = false } = {}) => void navigate({ search: next, replace })
  const setRange = (next: TimeRange) =>
    change(changed(search, { ...NO_RANGE, at: undefined, bucket: undefined, ...toTimeRangeSearch(next) }))
  const toggleValues = () => store(localStorage, SHOWS_VALUES, showsValues ? null : 'yes')
  useListShortcuts({ search, change, searchRef, setAdding, toggleValues })
  return (
    <div className="relative flex-1">
      <div className="absolute inset-0 flex flex-col">
        <PageHeader
          title={view?.name ?? 'Traces'}
          meta={
            <>
              {view !== undefined && isChanged(search, view) && <span>changed</span>}
              {!isNew && <FormTabs search={search} onChange={change} />}
            </>
          }
          actions={
            <>
              <ViewsMenu search={search} view={view} onChange={change} />
              {!isNew && <PinMenu search={search} view={view} />}
              {!isNew && <WhyButton search={search} />}
              {mayManage && !isNew && as === undefined && <ClusterButton search={search} />}
              {mayManage && !isNew && <MonitorButton search={search} />}
              {mayScore && !isNew && <ReviewMenu request={toFeedRequest(search, 'traces')} />}
              <div ref={setActions} className="contents" />
              {as === undefined && mayManage && <DeleteMatching search={search} offered={!isNew} />}
              {as !== 'chart' && !isNew && <ExportMenu what={as ?? 'traces'} request={toFeedRequest(search)} />}
              <TimeRangePicker all={as !== 'chart'} value={range} onChange={setRange} />
            </>
          }
        />
        {!isNew && (
          <>
            <SenderBanner enabled={listed} />
            <FilterBar {...{ search, searchRef, adding, narrow }} onChange={change} onAdding={setAdding}>
              <IconButton
                icon={PanelLeft}
                label="Values"
                keys="b"
                aria-pressed={showsValues}
                variant="plain"
                className="max-sm:order-1"
                onClick={toggleValues}
              />
            </FilterBar>
          </>
        )}
        <div className="relative flex min-h-0 flex-1">
          {showsValues && !isNew && <Facets {...{ search, range }} onChange={change} onClose={toggleValues} />}
          <div
            key={as ?? 'table'}
            className={`flex min-w-0 flex-1 flex-col ${as === undefined ? '' : 'relative overflow-y-auto'}`}
          >
            {as === undefined && (
              <TableForm
                {...{ search, narrow, actions, isNew, listed }}
                onChange={change}
                onRange={setRange}
                onNew={setIsNew}
                onListed={setListed}
              />
            )}
            {as === 'steps' && <StepsForm search={search} onChange={change} />}
            {as === 'chart' && (
              <ChartForm search={search} onChange={change} meanwhile={<Skeleton className="m-4 h-96" />} />
            )}
          </div>
        </div>
      </div>
    </div>
  )
}

interface ListShortcuts {
  readonly search: FeedSearch
  change(next: FeedSearch): void
  readonly searchRef: { readonly current: HTMLInputElement | null }
  setAdding(adding: boolean): void
  toggleValues(): void
}

function useListShortcuts({ search, change, searchRef, setAdding, toggleValues }: ListShortcuts): void {
  const ofSteps = search.as === 'steps' || (search.as === 'chart' && measureOf(search.measure).rows === 'steps')
  const field = ofSteps ? 'step_status' : 'status'
  const errors = { kind: 'field', field, value: 'error' } as const
  useShortcuts('Trace list', {
    '/': { does: 'Search', run: () => searchRef.current?.focus() },
    f: { does: 'Add a filter', run: () => setAdding(true) },
    b: { does: 'Show or hide the values', run: toggleValues },
    e: {
      does: 'Show failed only, or all',
      run: () => change(search[field] === 'error' ? withoutFilter(search, errors) : withFilter(search, errors)),
    },
  })
}

const MINUTES_PER_HOUR = 60

/** Discovers clusters among the traces that the query finds, and shows them. Without a filter there is no button. */
function ClusterButton({ search }: { search: FeedSearch }) {
  const navigate = useNavigate()
  const { sort: _sort, order: _order, ...filters } = toViewBody(search).query
  const { range } = search
  const minutes = range === undefined || range === 'all' ? Infinity : LAST_RANGES[range]
  const hours = Math.min(CLUSTER_WINDOW_HOURS_MAX, Math.ceil(minutes / MINUTES_PER_HOUR))
  const starting = useAction(() => discoverClusters({ filters, window_hours: hours }), {
    refresh: [CLUSTERS_KEY],
    onDone: ({ selection_id }) =>
      void navigate({ to: '/app/clusters', search: selection_id === null ? {} : { selection: selection_id } }),
  })
  if (Object.keys(filters).length === 0) return null
  return (
    <Button
      icon={Shapes}
      title="Group these traces by what their users asked for"
      disabled={starting.isPending}
      onClick={() => starting.mutate()}
    >
      Clusters
    </Button>
  )
}

/** Opens the form of a new monitor of what the query shows. */
function MonitorButton({ search }: { readonly search: FeedSearch }) {
  const navigate = useNavigate()
  const { measure } = useMeasures(search.measure)
  const isChart = search.as === 'chart'
  if (isChart && measure === null) return null
  const shown = monitored(search, isChart ? measure : null)
  return (
    <IconButton
      icon={Bell}
      label="Monitor this"
      variant="plain"
      onClick={() => void navigate({ to: '/app/monitors', search: shown })}
    />
  )
}

const FORMS = [
  { as: undefined, label: 'Table', key: '1' },
  { as: 'steps', label: 'Steps', key: '2' },
  { as: 'chart', label: 'Chart', key: '3' },
] as const

/** The same query as a table of traces, a table of steps, or a chart. */
function FormTabs({ search, onChange }: { search: FeedSearch; onChange(next: FeedSearch): void }) {
  const withForm = (as: FeedSearch['as']) => changed<FeedSearch>(search, { as, at: undefined, group: undefined })
  useShortcuts(
    'Trace list',
    Object.fromEntries(
      FORMS.map(({ as, label, key }) => [
        key,
        { does: `Show as ${label.toLowerCase()}`, run: () => onChange(withForm(as)) },
      ]),
    ),
  )
  return (
    <nav aria-label="Show as" className="bg-sunken flex rounded-md border p-0.5">
      {FORMS.map(({ as, label, key }) => (
        <Link
          key={label}
          to="/app/traces"
          search={withForm(as)}
          // The search of the table is a part of each other one.
          activeOptions={{ exact: true }}
          title={`Show as ${label.toLowerCase()} (${key})`}
          {...(search.as === as ? { 'aria-current': 'page' } : {})}
          className="text-muted hover:text-ink aria-[current]:bg-raised aria-[current]:text-ink rounded px-2.5 py-0.5 font-medium aria-[current]:shadow-sm"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** The query as steps: those that match its filters, of traces that match the others. */
function StepsForm({ search, onChange }: { search: FeedSearch; onChange(next: FeedSearch): void }) {
  const query = useInfiniteQuery(listQuery('steps', toFeedRequest(search)))
  const steps = query.data?.pages.flatMap((page) => page.steps)
  return (
    <>
      <Loading query={query} />
      {steps?.length === 0 && <NoMatch search={search} onChange={onChange} />}
      {steps !== undefined && steps.length > 0 && (
        <div aria-busy={query.isPlaceholderData} className="aria-busy:opacity-60">
          <StepsTable steps={steps} search={search} onSort={(sort) => onChange(withSortBy(search, sort))} />
          <More query={query} end={`End of list: ${steps.length} steps.`} />
        </div>
      )}
    </>
  )
}
