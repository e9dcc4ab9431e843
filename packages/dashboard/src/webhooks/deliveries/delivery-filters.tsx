import { DELIVERED_EVENT_TYPES } from '@spoor/contract/events'
import { getRouteApi } from '@tanstack/react-router'
import { toTimeRange, toTimeRangeSearch } from '../../lib/time-range.ts'
import { Select } from '../../ui/field.tsx'
import { TimeRangePicker } from '../../ui/time-range-picker.tsx'
import { STATUS_LABELS } from './delivery-words.ts'
import { webhookSearch } from './search.ts'

const route = getRouteApi('/app/webhooks/$webhookId')

/** Filters of the delivery list; in the URL. */
export function DeliveryFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changed: Record<string, unknown>) =>
    void navigate({ search: (before) => webhookSearch({ ...before, ...changed }), replace: true, resetScroll: false })
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
