import { storedShare } from '../lib/pane-share.ts'
import { Skeleton, SkeletonRows } from '../ui/states.tsx'
import { PANES } from './panes.ts'

/** A placeholder until the first bytes arrive. */
export function TraceSkeleton() {
  return (
    <>
      <div className="space-y-2 border-b px-4 py-2.5">
        <Skeleton className="h-8 w-64 max-w-full" />
        <Skeleton className="h-5 w-96 max-w-full" />
      </div>
      <div className="flex min-h-0 flex-1">
        <div className="flex-1 overflow-hidden">
          <SkeletonRows rows={16} />
        </div>
        <div className="hidden border-l lg:block" style={{ width: `${100 - storedShare(PANES, localStorage)}%` }} />
      </div>
    </>
  )
}
