import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import type { ApiError } from '../../api/client/api-error.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { Skeleton } from '../../ui/states.tsx'
import { MonitorChart } from '../monitor-chart.tsx'
import { isComplete, type MonitorDraft, toMonitor } from './monitor-draft.ts'
import { firings, previewSentence } from '../monitor-words.ts'
import { previewQuery } from './preview-query.ts'

const WEEK = { kind: 'last', range: '7d' } as const
const SETTLES_MS = 400

/** What a draft would have done in the past week; asked for once typing pauses. */
export function useMonitorPreview(draft: MonitorDraft) {
  const settled = useDebounced(draft, SETTLES_MS)
  const { name: _name, ...definition } = toMonitor(settled)
  const query = useQuery({
    ...previewQuery(definition, WEEK),
    enabled: isComplete(settled),
    refetchOnWindowFocus: false,
  })
  const problem: ApiError | undefined = query.error === null || !isComplete(draft) ? undefined : asApiError(query.error)
  return {
    ...query,
    definition,
    problem,
    isTried: isComplete(settled),
    isBehind: settled !== draft || query.isPlaceholderData,
  }
}

export function MonitorPreviewPane({ preview }: { preview: ReturnType<typeof useMonitorPreview> }) {
  const { data, definition, problem, isTried, isBehind } = preview
  const fired = useMemo(() => (data === undefined ? [] : firings(data)), [data])
  const isDrawn = data !== undefined && isTried && problem === undefined
  return (
    <section aria-label="Preview" className="bg-sunken min-w-0 rounded-lg border p-3">
      <h3 className="mb-1 text-sm font-medium">Over the past week</h3>
      <p aria-live="polite" className={`min-h-10 text-sm ${isBehind ? 'text-muted' : ''}`}>
        {!isTried && 'Say what is watched and from which value on, and see here what it would have done.'}
        {problem !== undefined && (
          <span className="text-fail break-words">
            {problem.code === 'insufficient_scope'
              ? 'The key you signed in with may not try monitors: it needs the scope manage.'
              : problem.message}
          </span>
        )}
        {isDrawn && previewSentence(data)}
        {isTried && data === undefined && problem === undefined && 'Trying …'}
      </p>
      {isDrawn ? (
        <div className={isBehind ? 'opacity-60' : ''}>
          <MonitorChart definition={definition} evaluations={data.evaluations} fired={fired} height={220} />
          <p className="text-muted mt-1 text-xs">
            Evaluated every {formatDuration(data.step_seconds * 1000)} here, more often later: short crossings may be
            missing.
          </p>
        </div>
      ) : isTried && problem === undefined ? (
        <Skeleton className="h-72" />
      ) : (
        <div className="h-72" />
      )}
    </section>
  )
}
