import { asApiError } from '../../api/client/api-error.ts'
import { formatCount } from '../../lib/format-number.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/states.tsx'

interface ListEndProps {
  readonly count: number
  readonly hasMore: boolean
  /** The list holds the maximum number of rows. */
  readonly full: boolean
  readonly error: Error | null
  onMore(): void
  /** Reloads the list from the start. */
  onReload(): void
}

export function ListEnd({ count, hasMore, full, error, onMore, onReload }: ListEndProps) {
  if (error !== null) {
    const { message, code } = asApiError(error)
    const expired = code === 'cursor_expired' || code === 'invalid_cursor'
    return (
      <div role="alert" className="text-muted flex flex-wrap items-center justify-center gap-3 p-4 text-sm">
        <span className="break-words">{message}</span>
        <Button onClick={expired ? onReload : onMore}>{expired ? 'Reload the list' : 'Try again'}</Button>
      </div>
    )
  }
  if (hasMore) {
    return (
      <div role="status" aria-label="Loading more" className="space-y-2 px-4 py-2">
        <Skeleton className="h-6" />
        <Skeleton className="h-6" />
      </div>
    )
  }
  return (
    <p className="text-muted p-4 text-center text-sm">
      {full
        ? `Showing ${formatCount(count)} traces, the maximum of this page. Choose a time range or filter to see others.`
        : count === 1
          ? '1 trace'
          : `End of list: ${formatCount(count)} traces.`}
    </p>
  )
}
