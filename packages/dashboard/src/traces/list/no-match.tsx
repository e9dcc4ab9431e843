import { changed } from '../../lib/search.ts'
import { NO_RANGE, toTimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { isFiltered, withoutFilters } from '../filters/feed-filters.ts'
import type { FeedSearch } from '../filters/search.ts'

export function NoMatch({ search, onChange }: { search: FeedSearch; onChange(next: FeedSearch): void }) {
  const limited = toTimeRange(search, 'all').kind !== 'all'
  const filtered = isFiltered(search)
  return (
    <EmptyState title={filtered ? 'No results' : 'No traces in this range'}>
      <p>
        {filtered
          ? `No trace${limited ? ' in this time range' : ''} matches all filters.${search.q === undefined ? '' : ' Search matches whole words; refun* also finds refund and refunded.'}`
          : 'Choose a longer time range.'}
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {filtered && <Button onClick={() => onChange(withoutFilters(search))}>Clear filters</Button>}
        {limited && (
          <Button onClick={() => onChange(changed(search, { ...NO_RANGE, range: 'all' }))}>Search all time</Button>
        )}
      </div>
    </EmptyState>
  )
}
