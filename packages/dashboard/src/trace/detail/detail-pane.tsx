import { ArrowLeft } from 'lucide-react'
import type { Ref } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { TraceHead } from '../reading/trace-head.ts'
import type { TraceSnapshot, TraceSource } from '../reading/trace-source.ts'
import type { StepView } from '../use-step-view.ts'
import { StepDetail } from './step-detail.tsx'
import { TraceDetail } from './trace-detail.tsx'
import { TraceSummary } from './trace-summary.tsx'
import { useStep } from '../reading/use-trace.ts'

interface DetailPaneProps {
  readonly ref: Ref<HTMLElement>
  readonly source: TraceSource
  readonly snapshot: TraceSnapshot
  readonly head: TraceHead
  readonly view: StepView
  /** Beside the steps; otherwise over them. */
  readonly wide: boolean
  /** The address names a step that the trace does not have. */
  readonly unknown: boolean
  readonly showsSimilar: boolean
  onStep(id: string | undefined): void
}

export function DetailPane({
  ref,
  source,
  snapshot,
  head,
  view,
  wide,
  unknown,
  showsSimilar,
  onStep,
}: DetailPaneProps) {
  const step = useStep(source, view.selected)
  return (
    <aside
      ref={ref}
      tabIndex={-1}
      aria-label="Details"
      data-found=""
      className="bg-ground w-full min-w-0 overflow-y-auto -outline-offset-2! max-lg:absolute max-lg:inset-0 max-lg:z-20 lg:w-[calc(100%-var(--share))] lg:shrink-0"
    >
      {!wide && (
        <div className="bg-ground sticky top-0 z-10 border-b px-2 py-1">
          <Button icon={ArrowLeft} variant="ghost" onClick={() => onStep(undefined)}>
            All steps
          </Button>
        </div>
      )}
      {unknown ? (
        <EmptyState title="Step not found">The link refers to a step that is not in this trace.</EmptyState>
      ) : view.selected === -1 ? (
        <TraceDetail
          source={source}
          showsSimilar={showsSimilar}
          head={head}
          steps={snapshot.steps}
          summary={
            <TraceSummary source={source} view={view} count={snapshot.complete ? snapshot.count : 0} onStep={onStep} />
          }
          onStep={onStep}
        />
      ) : (
        <StepDetail
          source={source}
          traceId={head.id}
          steps={snapshot.steps}
          index={view.selected}
          step={step}
          metricEvents={head.metric_events ?? []}
          onStep={onStep}
        />
      )}
    </aside>
  )
}
