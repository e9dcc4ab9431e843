import { useInfiniteQuery } from '@tanstack/react-query'
import { listQuery } from '../api/summaries.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { NoMatch } from '../traces/list/no-match.tsx'
import { withSortBy } from '../traces/list/sort-choice.ts'
import { More } from '../ui/more.tsx'
import { Loading } from '../ui/states.tsx'
import { StepsTable } from './steps-table.tsx'

/** The query as steps: those that match its filters, of traces that match the others. */
export function StepsForm({ search, onChange }: { search: FeedSearch; onChange(next: FeedSearch): void }) {
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
