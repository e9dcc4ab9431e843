import { toTimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { isFiltered, withoutFilters } from '../filters/feed-filters.ts'
import type { FeedSearch } from '../filters/search.ts'

interface NoMatchProps {
  readonly search: FeedSearch
  onChange(next: FeedSearch): void
}

/** There may be traces, but none as asked for. */
export function NoMatch({ search, onChange }: NoMatchProps) {
  const { range: _range, from: _from, to: _to, ...ofAllTime } = search
  const limited = toTimeRange(search, 'all').kind !== 'all'
  const filtered = isFiltered(search)
  return (
    <EmptyState title={filtered ? 'No trace matches' : 'No traces in this time'}>
      <p>
        {filtered
          ? `None ${limited ? 'of this time ' : ''}meets all the filters${search.q === undefined ? '' : ' and has all the words as whole words'}.`
          : 'None was committed in it.'}
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {filtered && <Button onClick={() => onChange(withoutFilters(search))}>Clear the filters</Button>}
        {limited && <Button onClick={() => onChange(ofAllTime)}>Look at all time</Button>}
      </div>
    </EmptyState>
  )
}
