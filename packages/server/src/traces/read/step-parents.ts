import type { StepId } from '@spoor/contract/ids'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/**
 * The steps with steps as their parents. A span that is the trace itself is no step, so its children have the parent of
 * that span, if any. Which spans these are is often known only after their children are stored.
 */
export function withStepParents({ spans }: TraceRecord, steps: readonly StepRecord[]): readonly StepRecord[] {
  const parents = new Map(spans?.traceSpans?.map(({ id, parentId }) => [id, parentId]))
  if (parents.size === 0) return steps
  return steps.map((step) => {
    const parentStepId = stepParent(parents, step.parentStepId)
    return parentStepId === step.parentStepId ? step : { ...step, parentStepId }
  })
}

/** Bounded, because a sender may make a circle. */
function stepParent(parents: ReadonlyMap<StepId, StepId | null>, named: StepId | null): StepId | null {
  let parent = named
  for (let left = parents.size; parent !== null && left > 0; left--) {
    const next = parents.get(parent)
    if (next === undefined) return parent
    parent = next
  }
  return parent !== null && parents.has(parent) ? null : parent
}
