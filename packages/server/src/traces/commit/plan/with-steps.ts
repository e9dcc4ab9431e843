import type { StepId } from '@spoor/contract/ids'
import type { PreparedStep } from '../../../ports/traces/prepared.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { addSteps, type IdentifiedStep, rollupOf, withRollup } from '../../rules/rollup.ts'

/** The trace with the sums over these steps as well. Throws UsageTreeMissing; nothing has changed then. */
export function withSteps(
  batch: CommitBatch,
  before: TraceRecord,
  steps: readonly PreparedStep[],
  ids: readonly StepId[],
): TraceRecord {
  const isNested = before.spans !== null || before.digest.nesting !== 'none'
  // Without parents, usage is a plain sum.
  const needsTree = isNested || steps.some(({ parentStepId }) => parentStepId !== null)
  const tree = needsTree ? batch.usageTree(before) : null
  const rollup = addSteps(rollupOf(before), identified(before, steps, ids), tree, batch.context.contextLimit)
  if (tree !== null) batch.keepTree(before.id, tree)
  return withRollup(before, rollup)
}

export function identified(
  { stepCount }: TraceRecord,
  steps: readonly PreparedStep[],
  ids: readonly StepId[],
): readonly IdentifiedStep[] {
  return steps.map((prepared, at) => ({ id: ids[at] as StepId, position: stepCount + at, prepared }))
}
