import { createLazyRoute } from '@tanstack/react-router'
import { PanelLeft } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { ClusterButton } from './cluster-button.tsx'
import { Facets } from './facets.tsx'
import { FormTabs } from './form-tabs.tsx'
import { StepsForm } from './steps-form.tsx'
import { useMediaQuery } from '../lib/hooks/use-media-query.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { store, useStored } from '../lib/hooks/use-stored.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, type TimeRange, toSeriesRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { measureOf } from './measures.ts'
import { MonitorButton } from './monitor-button.tsx'
import { PinMenu } from './pin-menu.tsx'
import { IconButton } from '../ui/button.tsx'
import { ExportMenu } from '../ui/export-menu.tsx'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { Skeleton } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { DeleteMatching } from '../traces/delete-matching.tsx'
import { withFilter, withoutFilter } from '../traces/filters/feed-filters.ts'
import { FilterBar } from '../traces/filters/filter-bar.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { WhyButton } from '../patterns/why-button.tsx'
import { ReviewMenu } from '../traces/review-menu.tsx'
import { TableForm } from '../traces/table-form.tsx'
import { isChanged } from '../traces/views/view-search.ts'
import { useOpenView } from '../traces/views/use-open-view.ts'
import { ViewsMenu } from '../traces/views/views-menu.tsx'

export const route = createLazyRoute('/app/traces')({ component: ExploreScreen })

/** Charts have a library of their own. */
const ChartForm = lazy(() => import('./chart-form.tsx').then((module) => ({ default: module.ChartForm })))

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
              <Suspense fallback={<Skeleton className="m-4 h-96" />}>
                <ChartForm search={search} onChange={change} />
              </Suspense>
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
