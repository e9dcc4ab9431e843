import type { StepBatch } from './step-batch.ts'
import { hasChildren } from './folding.ts'
import type { StepTree } from './step-tree.ts'
import { durationOf } from './time-scale.ts'

export interface ModelCost {
  readonly model: string
  readonly steps: number
  readonly tokens: number
  /** NaN without a price. */
  readonly cost: number
}

/** What each model of a run cost, the dearest first. What is counted on another step is left out. */
export function costByModel({
  models,
  tokens,
  costs,
  countedElsewhere,
}: Pick<StepBatch, 'models' | 'tokens' | 'costs' | 'countedElsewhere'>): ModelCost[] {
  const sums = new Map<string, { steps: number; tokens: number; cost: number }>()
  for (const [step, model] of models.entries()) {
    if (model === null || countedElsewhere[step] === true) continue
    const sum = sums.get(model) ?? { steps: 0, tokens: 0, cost: NaN }
    sum.steps += 1
    sum.tokens += orZero(tokens[step])
    const cost = costs[step] as number
    if (!Number.isNaN(cost)) sum.cost = orZero(sum.cost) + cost
    sums.set(model, sum)
  }
  return Array.from(sums, ([model, sum]) => ({ model, ...sum })).sort((a, b) => orZero(b.cost) - orZero(a.cost))
}

/** The steps that took longest, without those that only wait for steps inside. */
export function slowestSteps(steps: StepBatch, tree: StepTree, most: number): number[] {
  const timed: number[] = []
  for (let line = 0; line < tree.count; line += 1) {
    const step = tree.steps[line] as number
    if (!hasChildren(tree, line) && durationOf(steps, step) > 0) timed.push(step)
  }
  return timed.sort((a, b) => durationOf(steps, b) - durationOf(steps, a)).slice(0, most)
}

function orZero(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value
}
