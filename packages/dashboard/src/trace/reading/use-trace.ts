import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Step } from '@spoor/contract/schemas/traces/step'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { traceRowQuery } from '../../api/trace.ts'
import { FOLLOWED_MS } from '../../lib/growth.ts'
import { type TraceSnapshot, TraceSource } from './trace-source.ts'
import { useRead } from '../../lib/hooks/use-read.ts'

const ASK_EVERY_MS = 3000

const NEVER = () => () => {}

/** Opens a trace while the screen shows it. `source` is null in the first render. */
export function useTraceSource(traceId: string): { source: TraceSource | null; reload: () => void } {
  const [source, setSource] = useState<TraceSource | null>(null)
  const [generation, setGeneration] = useState(0)
  useEffect(() => {
    const opened = new TraceSource(traceId)
    setSource(opened)
    return () => {
      opened.close()
      setSource(null)
    }
  }, [traceId, generation])
  return { source, reload: () => setGeneration((before) => before + 1) }
}

export function useTraceSnapshot(source: TraceSource | null): TraceSnapshot | null {
  return useSyncExternalStore(source?.subscribe ?? NEVER, source === null ? () => null : source.snapshot)
}

/**
 * No event reports new steps, so the list row of a recent trace is polled every few seconds while the page is visible.
 * Returns whether it is.
 */
export function useFollowing(source: TraceSource | null, snapshot: TraceSnapshot | null): boolean {
  const head = snapshot?.complete === true ? snapshot.head : null
  const count = snapshot?.count ?? 0
  const [changedAt, setChangedAt] = useState(0)
  const { data: row } = useQuery({
    ...traceRowQuery(head?.id ?? ''),
    enabled: head !== null && isYoung(head.created_at, changedAt),
    refetchInterval: () => (head !== null && isYoung(head.created_at, changedAt) ? ASK_EVERY_MS : false),
    staleTime: ASK_EVERY_MS,
  })
  useEffect(() => {
    if (row === undefined || source === null || head?.id !== row.id) return
    source.setRow(row)
    if (row.step_count <= count) return
    setChangedAt(Date.now())
    void source.readMore()
    // Runs only for a new row.
  }, [row])
  return head !== null && isYoung(head.created_at, changedAt)
}

function isYoung(createdAt: string, changedAt: number): boolean {
  return Date.now() - Math.max(Date.parse(createdAt), changedAt) < FOLLOWED_MS
}

/** One whole step from the worker; null while loading. */
export function useStep(source: TraceSource, index: number): Step | null {
  const readStep = async () => ({ source, index, step: parseExactJson(await source.stepText(index)) as Step })
  const read = useRead(index === -1 ? null : readStep, [source, index])
  return read?.source === source && read.index === index ? read.step : null
}
