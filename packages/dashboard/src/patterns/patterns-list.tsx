import { parseFailureMeasure } from '@spoor/contract/failure-measure'
import type { FailurePattern, FailurePatterns } from '@spoor/contract/schemas/traces/failure-patterns'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TrendingDown, TrendingUp } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { patternsQuery } from '../api/insight.ts'
import { FailureField } from '../clusters/discovery/failure-field.tsx'
import { formatCount } from '../lib/format-number.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { SkeletonRows } from '../ui/states.tsx'
import { withPattern } from './with-pattern.ts'

/** What failed runs of a query have that others have not, each with a link to its runs; and which runs failed. */
export function PatternsList({
  search,
  initial = null,
  allFailed = false,
}: {
  readonly search: FeedSearch
  readonly initial?: string | null
  /** The list of the query has no others, which are compared all the same. */
  readonly allFailed?: boolean
}) {
  const [failureBy, setFailureBy] = useState(initial)
  const isWhole = failureBy === null || parseFailureMeasure(failureBy) !== null
  const { data, error } = useQuery({ ...patternsQuery(toFeedRequest(search), failureBy), enabled: isWhole })
  const measure = failureBy ?? data?.failure_by
  return (
    <div className="space-y-4 text-sm">
      {error !== null && <p className="text-fail">{asApiError(error).message}</p>}
      {error === null && data === undefined && isWhole && <SkeletonRows rows={3} />}
      {data !== undefined && <Patterns found={data} search={search} allFailed={allFailed} />}
      {measure !== undefined && <FailureField value={measure} onChange={setFailureBy} />}
    </div>
  )
}

function Patterns({
  found,
  search,
  allFailed,
}: {
  readonly found: FailurePatterns
  readonly search: FeedSearch
  readonly allFailed: boolean
}) {
  const { patterns, failed, ok, complete } = found
  const missing = complete ? '' : ' Older runs, or rare features, were left out.'
  const compared = `${formatCount(failed)} failed and ${formatCount(ok)} other runs were compared.${missing}`
  return (
    <>
      <ul className="space-y-2">
        {patterns.map((pattern, at) => (
          <li key={at}>
            <Pattern pattern={pattern} search={allFailed && pattern.failed.with === 0 ? null : search} />
          </li>
        ))}
      </ul>
      <p className="text-muted">{patterns.length === 0 ? `Nothing tells them apart. ${compared}` : compared}</p>
    </>
  )
}

/** `search`: null if its list has no run with the pattern. */
function Pattern({ pattern, search }: { readonly pattern: FailurePattern; readonly search: FeedSearch | null }) {
  const { what, effect, filters, example_trace_ids: examples } = pattern
  const isBad = effect > 0
  const Icon = isBad ? TrendingUp : TrendingDown
  return (
    <div className="flex items-start gap-2">
      <Icon className={`mt-0.5 size-4 shrink-0 ${isBad ? 'text-fail' : 'text-ok'}`} aria-hidden />
      <p className="min-w-0 wrap-anywhere">
        <PatternWords what={what} />{' '}
        {filters !== null && search !== null && (
          <Link to="/app/traces" search={withPattern(search, filters)} className="text-accent underline">
            Show them
          </Link>
        )}
        {filters === null &&
          examples.map((traceId, at) => (
            <Link key={traceId} to="/app/traces/$traceId" params={{ traceId }} className="text-accent mr-2 underline">
              Example {at + 1}
            </Link>
          ))}
      </p>
    </div>
  )
}

/** What is between backticks as code. */
export function PatternWords({ what }: Pick<FailurePattern, 'what'>) {
  return what.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))
}
