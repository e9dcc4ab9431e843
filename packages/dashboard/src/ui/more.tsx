import { useCallback } from 'react'
import { useReachEnd } from '../lib/hooks/use-reach-end.ts'
import { Button } from './button.tsx'
import { ErrorText } from './error-text.tsx'
import { Skeleton } from './states.tsx'

interface MoreProps {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly error: unknown
    readonly data: { readonly pages: readonly unknown[] } | undefined
    fetchNextPage(): unknown
  }
  /** Shown at the end of the list. */
  readonly end: string
}

/** The end of an endless list: loads the next page when it comes near, or shows the end. */
export function More({ query: { hasNextPage, isFetchingNextPage, error, data, fetchNextPage }, end }: MoreProps) {
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && error === null) fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  const ref = useReachEnd(more)
  if (!hasNextPage) return <p className="text-muted px-4 py-3 text-center text-xs">{end}</p>
  return (
    <div key={data?.pages.length} ref={ref} className="flex items-center gap-3 px-4 py-2">
      {error === null ? (
        <Skeleton className="h-8 flex-1" />
      ) : (
        <>
          <ErrorText error={error} className="min-w-0" />
          <Button onClick={() => fetchNextPage()}>Try again</Button>
        </>
      )}
    </div>
  )
}
