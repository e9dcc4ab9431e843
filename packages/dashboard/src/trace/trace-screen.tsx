import { createLazyRoute } from '@tanstack/react-router'
import { ErrorState } from '../ui/states.tsx'
import { useFollowing, useTraceSnapshot, useTraceSource } from './reading/use-trace.ts'
import { TracePanes } from './trace-panes.tsx'
import { TraceSkeleton } from './trace-skeleton.tsx'
import { TraceHeader } from './header/trace-header.tsx'
import { useDocumentTitle } from './use-document-title.ts'

export const route = createLazyRoute('/app/traces/$traceId')({ component: TraceScreen })

/** The height of the window, less the top bar on narrow screens: its panes scroll, not the page. */
const FRAME = 'flex h-[calc(100dvh-3.0625rem)] min-h-96 min-w-0 flex-col overflow-hidden md:h-dvh'

function TraceScreen() {
  const { traceId } = route.useParams()
  const { source, reload } = useTraceSource(traceId)
  const snapshot = useTraceSnapshot(source)
  const following = useFollowing(source, snapshot)
  useDocumentTitle(snapshot?.head?.name ?? 'Trace')
  if (snapshot !== null && snapshot.error !== null && snapshot.count === 0) {
    return <ErrorState error={snapshot.error} onRetry={reload} />
  }
  if (source === null || snapshot === null || snapshot.head === null) {
    return (
      <div className={FRAME}>
        <TraceSkeleton />
      </div>
    )
  }
  const { head, count, complete, error } = snapshot
  return (
    <div className={FRAME}>
      <TraceHeader {...{ head, count, complete, following, source }} onReload={reload} />
      {error !== null && (
        <div className="border-b">
          <ErrorState error={error} onRetry={reload} />
        </div>
      )}
      <TracePanes source={source} snapshot={snapshot} head={head} />
    </div>
  )
}
