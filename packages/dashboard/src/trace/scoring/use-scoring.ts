import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { type FeedRequest, TRACE_KEYS } from '../../api/client/feed.ts'
import { recordMetricEvent, removeMetricEvent } from '../../api/metrics.ts'
import { findUnscored } from '../../api/unscored.ts'
import { useToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import { readOrigin } from '../origin/trace-origin.ts'
import type { Tab } from '../search.ts'
import { useOpenTrace } from '../origin/use-origin.ts'
import { eventValue, type ScoreValue } from '../../lib/score-value.ts'

const ALL_TRACES: FeedRequest = { filters: {}, metadata: [], range: { kind: 'all' } }

interface Score {
  readonly value: ScoreValue
  readonly comment: string
  /** Null for the whole trace. */
  readonly stepId: string | null
}

export interface ScoringOptions {
  readonly traceId: string
  /** Null until the trace is shown: nobody scores what has not been seen. */
  readonly traceName: string | null
  readonly metric: string
  readonly tab: Tab
}

/** Records scores and goes on to the next trace of the list that has none. */
export function useScoring({ traceId, traceName, metric, tab }: ScoringOptions) {
  const queryClient = useQueryClient()
  const open = useOpenTrace(tab)
  const toast = useToast()
  const scored = useRef(new Set<string>())
  const [last, setLast] = useState<string | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const undoing = useAction(removeMetricEvent, {
    onSuccess: (_, event: MetricEvent) => scored.current.delete(event.trace_id),
    said: 'Score removed',
    refresh: TRACE_KEYS,
  })
  const goOn = async () => {
    const list = readOrigin(sessionStorage)?.list ?? ALL_TRACES
    const next = await findUnscored(queryClient, list, metric, traceId, (id) => scored.current.has(id))
    if (next === null) toast({ kind: 'ok', text: `No more traces of the list without ${metric}.` })
    else await open(next)
  }
  const record = async ({ value, comment, stepId }: Score) => {
    const event = await recordMetricEvent({
      name: metric,
      trace_id: traceId,
      ...value,
      source: 'human',
      ...(stepId === null ? {} : { step_id: stepId }),
      ...(comment.trim() === '' ? {} : { comment }),
    })
    scored.current.add(traceId)
    setLast(traceId)
    const text = `“${traceName}” scored: ${metric} ${eventValue(event)}`
    toast({ kind: 'ok', text, undo: () => undoing.mutate(event) })
    // Read again where they are shown next.
    for (const queryKey of TRACE_KEYS) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' })
    await goOn()
  }
  const isBusy = busy === traceId
  /** Once at a time for each trace: the next one is shown before this has ended. */
  const run = async (work: () => Promise<void>) => {
    if (isBusy) return
    setBusy(traceId)
    try {
      await work()
    } catch (error) {
      toast({ kind: 'fail', text: asApiError(error).message })
    } finally {
      setBusy((now) => (now === traceId ? null : now))
    }
  }
  return {
    record: (score: Score) => void run(() => record(score)),
    /** Goes on without a score. */
    skip: () => void run(goOn),
    /** Back to the trace that was scored last; null if there is none. */
    back: last === null || last === traceId ? null : () => void open(last),
    /** Whether this trace is being scored or left. */
    isBusy,
    /** How many were scored since the bar was opened. */
    count: scored.current.size,
  }
}
