import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { Skeleton } from '../../ui/states.tsx'
import { MonitorChart } from '../monitor-chart.tsx'
import { isComplete, type MonitorDraft, toMonitor } from './monitor-draft.ts'
import { firings, previewSentence } from '../monitor-words.ts'
import { previewQuery } from './preview-query.ts'

const WEEK = { kind: 'last', range: '7d' } as const
const SETTLES_MS = 400

/** Evaluates a draft over the past week, once typing pauses. */
export function useMonitorPreview(draft: MonitorDraft) {
  const settled = useDebounced(draft, SETTLES_MS)
  const { name: _name, ...definition } = toMonitor(settled)
  const query = useQuery({
    ...previewQuery(definition, WEEK),
    enabled: isComplete(settled),
    refetchOnWindowFocus: false,
  })
  return {
    ...query,
    definition,
    problem: query.error === null || !isComplete(draft) ? null : asApiError(query.error),
    isTried: isComplete(settled),
    isBehind: settled !== draft || query.isPlaceholderData,
  }
}

export function MonitorPreviewPane({ preview }: { preview: ReturnType<typeof useMonitorPreview> }) {
  const { data, definition, problem, isTried, isBehind } = preview
  const fired = useMemo(() => (data === undefined ? [] : firings(data)), [data])
  const isAnswered = data !== undefined && isTried && problem === null
  const isDrawn = isAnswered && data.evaluations.length > 0
  return (
    <section aria-label="Preview" className="bg-sunken min-w-0 rounded-lg border p-3">
      <h3 className="mb-1 text-sm font-medium">Past week</h3>
      <p aria-live="polite" className={`min-h-10 text-sm ${isBehind ? 'text-muted' : ''}`}>
        {!isTried && 'Choose a source and a threshold to see when the monitor would have fired.'}
        {problem !== null && (
          <span className="text-fail break-words">
            {problem.code === 'insufficient_scope'
              ? "Your API key can't preview monitors. It needs the scope manage."
              : problem.message}
          </span>
        )}
        {isAnswered && previewSentence(data)}
        {isTried && data === undefined && problem === null && 'Evaluating…'}
      </p>
      {isDrawn ? (
        <div aria-busy={isBehind} className="aria-busy:opacity-60">
          <MonitorChart definition={definition} evaluations={data.evaluations} fired={fired} height={220} />
          <p className="text-muted mt-1 text-xs">
            Evaluated every {formatDuration(data.step_seconds * 1000)} in this preview, but more often later. It may
            miss short breaches.
          </p>
        </div>
      ) : isTried && problem === null && !isAnswered ? (
        <Skeleton className="h-72" />
      ) : (
        <div className="h-72" />
      )}
    </section>
  )
}
