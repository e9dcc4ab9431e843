import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { useDocumentTitle } from '../ui/page.tsx'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { startScoring, stopScoring, useScoringMetric } from '../lib/scoring-session.ts'
import { growthOf, RUNNING } from '../lib/growth.ts'
import { ErrorState, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { useNow } from '../ui/time.tsx'
import { forgetUnscored } from '../api/unscored.ts'
import { useFollowing, useTraceSnapshot, useTraceSource } from './reading/use-trace.ts'
import { useOrigin } from './origin/use-origin.ts'
import type { StepBatch } from './model/step-batch.ts'
import type { Tab } from './search.ts'
import { ScoringBar } from './scoring/scoring-bar.tsx'
import { ConversationTab } from './tabs/conversation-tab.tsx'
import { JsonTab, TraceTabs } from './tabs/trace-tabs.tsx'
import { TracePanes } from './trace-panes.tsx'
import { TraceHeader } from './header/trace-header.tsx'
import { storedShare } from '../lib/pane-share.ts'
import { PANES } from './panes.ts'

export const route = createLazyRoute('/app/traces/$traceId')({ component: TraceScreen })

/** The height of the window, less the top bar on narrow screens: its panes scroll, not the page. */
const FRAME = 'flex h-[calc(100dvh-3.0625rem)] min-h-96 min-w-0 flex-col overflow-hidden md:h-dvh'

function TraceScreen() {
  const { traceId } = route.useParams()
  const { source, reload } = useTraceSource(traceId)
  const snapshot = useTraceSnapshot(source)
  const following = useFollowing(source, snapshot)
  const now = useNow()
  const { tab = 'steps', step } = route.useSearch()
  const lastStep = useLastStep(traceId, tab === 'steps', step)
  const origin = useOrigin(traceId, tab)
  const navigate = route.useNavigate()
  const show = (next: Tab) =>
    void navigate({
      search: next === 'steps' ? (lastStep === undefined ? {} : { step: lastStep }) : { tab: next },
      replace: true,
    })
  const queryClient = useQueryClient()
  const mayScore = useMay('ingest')
  const chosen = useScoringMetric()
  const metric = mayScore ? chosen : null
  const toggleScoring = () => {
    if (metric !== null) return stopScoring()
    forgetUnscored(queryClient)
    startScoring()
  }
  useShortcuts('Traces', {
    '[': { does: 'Previous trace of the list', run: () => origin.previous?.() },
    ']': { does: 'Next trace of the list', run: () => origin.next?.() },
    Escape: { does: 'Back to the list', run: origin.leave },
    ...(mayScore ? { m: { does: 'Open or close the scoring bar', run: toggleScoring } } : {}),
    // Digits score.
    ...(metric === null
      ? {
          '1': { does: 'Steps', run: () => show('steps') },
          '2': { does: 'Conversation', run: () => show('conversation') },
          '3': { does: 'JSON', run: () => show('json') },
        }
      : {}),
  })
  const scoringBar = metric !== null && (
    <ScoringBar
      key="scoring"
      traceId={traceId}
      head={snapshot?.head ?? null}
      stepId={tab === 'steps' ? step : undefined}
      tab={tab}
      metric={metric}
    />
  )
  useDocumentTitle(snapshot?.head?.name ?? 'Trace')
  const failure = snapshot?.count === 0 ? snapshot.error : null
  if (failure !== null || source === null || snapshot === null || snapshot.head === null) {
    return (
      <div className={FRAME}>
        {failure === null ? <TraceSkeleton /> : <ErrorState error={failure} onRetry={reload} />}
        {scoringBar}
      </div>
    )
  }
  const { head, count, complete, error, steps } = snapshot
  // Its duration is up to the latest end of a step, also while another step runs.
  const growth = growthOf(isLastOpen(steps) ? { ...head, duration_ms: null } : head, now)
  return (
    <div className={FRAME}>
      <TraceHeader
        {...{ head, growth, count, complete, following, source, origin }}
        stepId={lastStep}
        onScore={toggleScoring}
        onReload={reload}
      >
        <TraceTabs traceId={traceId} tab={tab} stepId={lastStep} />
      </TraceHeader>
      {error !== null && (
        <div className="border-b">
          <ErrorState error={error} onRetry={reload} />
        </div>
      )}
      {tab === 'steps' && (
        <TracePanes
          source={source}
          snapshot={snapshot}
          head={head}
          isRunning={growth === RUNNING}
          onLeave={origin.leave}
        />
      )}
      {tab === 'conversation' && (
        <ConversationTab traceId={traceId} source={source} snapshot={snapshot} stepId={lastStep} />
      )}
      {tab === 'json' && <JsonTab source={source} snapshot={snapshot} />}
      {scoringBar}
    </div>
  )
}

/** Whether the step that began last has no end. */
function isLastOpen({ starts, ends }: StepBatch): boolean {
  const last = starts.reduce((latest, start, step) => (start >= (starts[latest] ?? -Infinity) ? step : latest), -1)
  return last !== -1 && Number.isNaN(ends[last])
}

/** The step that was shown last, also while another tab is. Undefined for the summary. */
function useLastStep(traceId: string, inSteps: boolean, step: string | undefined): string | undefined {
  const [last, setLast] = useState({ traceId, step })
  if (last.traceId !== traceId || (inSteps && last.step !== step)) setLast({ traceId, step })
  return last.step
}

function TraceSkeleton() {
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
