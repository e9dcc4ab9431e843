import { useEffect } from 'react'
import { failedInside } from './model/folding.ts'
import type { TraceSnapshot, TraceSource } from './reading/trace-source.ts'
import type { StepView } from './use-step-view.ts'

/** Traces that were opened: a tab that is shown again keeps its place. */
const opened = new WeakSet<TraceSource>()

interface OpeningOptions {
  readonly source: TraceSource
  readonly snapshot: TraceSnapshot
  readonly view: StepView
  /** Whether the address says what is shown. */
  readonly named: boolean
  onStep(stepId: string): void
  onSummary(): void
}

/**
 * Where a trace opens if its address names no step: a failed one on its first error, one of a single step on that step,
 * others on their summary. Once per trace, unless the reader was faster.
 */
export function useOpening({ source, snapshot, view, named, onStep, onSummary }: OpeningOptions): void {
  const { complete, count, head, steps } = snapshot
  useEffect(() => {
    if (named) opened.add(source)
    if (opened.has(source) || !complete || head === null) return
    opened.add(source)
    const step = count === 1 ? 0 : head.status === 'error' ? firstError(view) : -1
    if (step === -1) onSummary()
    else onStep(steps.ids[step] as string)
  })
}

/** From the top, the first failed step without a failed step inside: a parent often fails because of its child. */
function firstError({ tree, failed }: StepView): number {
  const line = failed.find((each) => failedInside(tree, each) === 0)
  return line === undefined ? -1 : (tree.steps[line] as number)
}
