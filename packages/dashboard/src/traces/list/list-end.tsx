import { asApiError } from '../../api/client/api-error.ts'
import { formatCount } from '../../lib/format-number.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/states.tsx'

interface ListEndProps {
  readonly count: number
  readonly hasMore: boolean
  /** The list holds as many as it keeps. */
  readonly full: boolean
  readonly error: Error | null
  onMore(): void
  /** Reads the list from the beginning. */
  onAnew(): void
}

/** What is below the last row: more to come, all there is, or why it ends here. */
export function ListEnd({ count, hasMore, full, error, onMore, onAnew }: ListEndProps) {
  if (error !== null) {
    const { message, code } = asApiError(error)
    const expired = code === 'cursor_expired' || code === 'invalid_cursor'
    return (
      <div role="alert" className="text-muted flex flex-wrap items-center justify-center gap-3 p-4 text-sm">
        <span className="break-words">{message}</span>
        <Button onClick={expired ? onAnew : onMore}>{expired ? 'Read the list anew' : 'Try again'}</Button>
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
        ? `These are ${formatCount(count)}, as many as this page keeps. Choose a time or filter to see others.`
        : count === 1
          ? 'That is the only one.'
          : `That is all: ${formatCount(count)} traces.`}
    </p>
  )
}
