import type { Webhook } from '@spoor/contract/schemas/webhook'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { DELIVERED_EVENT_TYPES } from '@spoor/contract/events'
import { toBounds } from '../../api/client/feed.ts'
import { changed } from '../../lib/search.ts'
import { toTimeRange, toTimeRangeSearch } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { More } from '../../ui/more.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { DeliveryPanel } from './delivery-panel.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { RedeliverFailed } from './redeliver-failed.tsx'
import { type WebhookSearch, webhookSearch } from './search.ts'
import { useDeliveries, type DeliveryFilters as Filters } from './use-deliveries.ts'
import { Select } from '../../ui/field.tsx'
import { TimeRangePicker } from '../../ui/time-range-picker.tsx'
import { STATUS_LABELS } from './delivery-words.ts'

const route = getRouteApi('/app/webhooks/$webhookId')

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { status, event, range, from, to, delivery } = search
  const filters = useMemo(
    () => toFilters(changed<WebhookSearch>({}, { status, event, range, from, to })),
    [status, event, range, from, to],
  )
  // No row moves under a reader who has scrolled down.
  const [isAtTop, setIsAtTop] = useState(true)
  useEffect(() => {
    const look = () => setIsAtTop(scrollY < innerHeight / 2)
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  const list = useDeliveries(webhook, filters, isAtTop)
  const { data } = list
  const refresh = () => void list.refetch()
  const rows = useMemo(() => data?.pages.flatMap(({ deliveries }) => deliveries) ?? [], [data])
  const open = (id: string | undefined) =>
    void navigate({
      search: (before) => changed(before, { delivery: id }),
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
        <RedeliverFailed webhook={webhook} onSent={refresh} />
      </div>
      {data === undefined ? (
        <Loading query={list} rows={10} />
      ) : rows.length === 0 ? (
        <EmptyState title={isFiltered ? 'No delivery matches' : 'No deliveries yet'}>
          {isFiltered ? (
            <Button onClick={() => void navigate({ search: {}, replace: true })}>Show all deliveries</Button>
          ) : (
            'The next subscribed event appears here with all its attempts. Send a ping to test the webhook now.'
          )}
        </EmptyState>
      ) : (
        <div className={delivery === undefined ? '' : 'xl:max-[1800px]:pr-[42rem]'}>
          <DeliveryTable rows={rows} openId={delivery} />
          <More query={list} end="End of the delivery log" />
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
          onSent={refresh}
        />
      )}
    </section>
  )
}

function toFilters({ status, event, ...range }: WebhookSearch): Filters {
  const { start_time, end_time } = toBounds(toTimeRange(range, 'all'))
  return changed<Filters>({}, { status, event, start_time: start_time ?? undefined, end_time: end_time ?? undefined })
}

/** Filters of the delivery list; in the URL. */
function DeliveryFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: Record<string, unknown>) =>
    void navigate({ search: (before) => webhookSearch({ ...before, ...next }), replace: true, resetScroll: false })
  return (
    <>
      <Select
        aria-label="Status"
        className="w-auto!"
        value={search.status ?? ''}
        onChoice={(status) => change({ status })}
        options={{ '': 'Any status', ...STATUS_LABELS }}
      />
      <Select
        aria-label="Event"
        className="w-auto!"
        value={search.event ?? ''}
        onChoice={(event) => change({ event })}
        options={[['', 'Any event'], ...DELIVERED_EVENT_TYPES]}
      />
      <TimeRangePicker
        all
        value={toTimeRange(search, 'all')}
        onChange={(range) => change({ range: undefined, from: undefined, to: undefined, ...toTimeRangeSearch(range) })}
      />
    </>
  )
}
