import type { Webhook } from '@spoor/contract/schemas/webhook'
import { getRouteApi } from '@tanstack/react-router'
import { ArrowUp } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { boundsOf, toTimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { RedeliverFailed } from './redeliver-failed.tsx'
import type { WebhookSearch } from './search.ts'
import { pageOfRow, useDeliveries, type DeliveryFilters as Filters } from './use-deliveries.ts'

const route = getRouteApi('/app/webhooks/$webhookId')

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { status, event, range, from, to, delivery } = search
  const filters = useMemo(
    () =>
      toFilters({
        ...(status && { status }),
        ...(event && { event }),
        ...(range && { range }),
        ...(from && { from }),
        ...(to && { to }),
      }),
    [status, event, range, from, to],
  )
  const place = { projectId: webhook.project_id, webhookId: webhook.id }
  const [middle, setMiddle] = useState(0)
  const [pageInView, setPageInView] = useState(0)
  const list = useDeliveries(place, filters, delivery, pageInView)
  const { rows, data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const rowCount = rows.length
  const onSeen = useCallback(
    (first: number, last: number) => {
      setMiddle(Math.floor((first + last) / 2))
      if (last >= rowCount - 15 && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
    },
    [rowCount, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage],
  )
  const inView = pageOfRow(data?.pages, middle)
  if (inView !== pageInView) setPageInView(inView)
  const open = (id: string | undefined) =>
    void navigate({
      search: ({ delivery: _, ...before }) => (id === undefined ? before : { ...before, delivery: id }),
      replace: true,
      resetScroll: false,
    })
  const at = rows.findIndex(({ id }) => id === delivery)
  const isFiltered = Object.keys(filters).length > 0
  return (
    <section aria-label="Deliveries" className="flex flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <h2 className="mr-2 font-semibold max-md:w-full">Deliveries</h2>
        <DeliveryFilters />
        <RedeliverFailed webhook={webhook} onSent={list.refresh} />
      </div>
      {list.newCount > 0 && (
        <div className="pointer-events-none sticky top-14 z-10 h-0 text-center md:top-2">
          <Button
            variant="primary"
            className="pointer-events-auto mt-2 rounded-full! shadow-md"
            onClick={() => {
              list.showNew()
              window.scrollTo({ top: 0 })
            }}
          >
            <ArrowUp className="size-3.5" aria-hidden /> {list.newCount}
            {list.newIsMore && '+'} new
          </Button>
        </div>
      )}
      {data === undefined ? (
        <Loading query={list} rows={10} />
      ) : rows.length === 0 ? (
        <NoDeliveries filtered={isFiltered} onClear={() => void navigate({ search: {}, replace: true })} />
      ) : (
        <div className={delivery === undefined ? '' : 'xl:max-[1800px]:pr-[42rem]'}>
          <DeliveryTable rows={rows} openId={delivery} busy={list.isFetchingNextPage} onSeen={onSeen} />
          <p className="text-muted px-4 py-3 text-center text-sm" role="status">
            {isFetchNextPageError ? (
              <Button onClick={() => void fetchNextPage()}>More deliveries could not be loaded. Try again</Button>
            ) : hasNextPage ? (
              'Loading more…'
            ) : (
              'End of the delivery log'
            )}
          </p>
        </div>
      )}
      {delivery !== undefined && (
        <DeliveryPanel
          webhook={webhook}
          deliveryId={delivery}
          onClose={() => open(undefined)}
          onStep={(by) => {
            const next = rows[at + by]
            if (next !== undefined) open(next.id)
          }}
          onSent={list.refresh}
        />
      )}
    </section>
  )
}

function NoDeliveries({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered) {
    return (
      <EmptyState title="No deliveries yet">
        <p>The next subscribed event appears here with all its attempts. Send a ping to test the webhook now.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No delivery matches">
      <Button onClick={onClear}>Show all deliveries</Button>
    </EmptyState>
  )
}

function toFilters({ status, event, ...range }: WebhookSearch): Filters {
  const { from, to } = boundsOf(toTimeRange(range, 'all'), Date.now())
  return {
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { event }),
    ...(from === null ? {} : { start_time: new Date(from).toISOString() }),
    ...(to === null ? {} : { end_time: new Date(to).toISOString() }),
  }
}
