import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { TurnItem } from '../../conversation/turn-item.tsx'
import { useReachEnd } from '../../lib/hooks/use-reach-end.ts'
import { useRead } from '../../lib/hooks/use-read.ts'
import { EmptyState, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import type { TraceSnapshot, TraceSource } from '../reading/trace-source.ts'

/** Turns shown at first; each time the reader comes to the end, twice as many. */
const FIRST = 100

interface ConversationTabProps {
  readonly traceId: string
  readonly source: TraceSource
  readonly snapshot: TraceSnapshot
  /** The conversation opens on its turn. */
  readonly stepId: string | undefined
}

export function ConversationTab({ traceId, source, snapshot: { count, complete }, stepId }: ConversationTabProps) {
  const [least, setLeast] = useState(FIRST)
  // The first turns need all steps.
  const isRead = complete && count > 0
  const read = useRead(isRead ? () => source.turns(least, stepId ?? null) : null, [
    source,
    isRead,
    count,
    least,
    stepId,
  ])
  const list = useRef<HTMLOListElement>(null)
  const scrolled = useRef(false)
  useLayoutEffect(() => {
    if (read === null || scrolled.current) return
    scrolled.current = true
    if (stepId !== undefined)
      list.current?.querySelector(`[data-step="${stepId}"]`)?.scrollIntoView({ block: 'center' })
  }, [read, stepId])
  const more = useCallback(() => setLeast((before) => before * 2), [])
  const ref = useReachEnd(more)
  if (read === null) return <SkeletonRows rows={6} />
  if (read.count === 0) {
    return <EmptyState title="No messages">The steps of this trace have no messages.</EmptyState>
  }
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      className="min-h-0 flex-1 overflow-y-auto -outline-offset-2!"
    >
      <ol ref={list} className="mx-auto w-full max-w-4xl space-y-2 px-4 py-4">
        {read.turns.map((turn, at) => (
          <TurnItem key={at} traceId={traceId} turn={turn} />
        ))}
        {read.turns.length < read.count && (
          <li key={read.turns.length} ref={ref}>
            <Skeleton className="h-16" />
          </li>
        )}
      </ol>
    </div>
  )
}
