import type { StepHead } from '../../ports/traces/step-record.ts'

type PlacedStep = Pick<StepHead, 'id' | 'parentStepId' | 'parentInferred' | 'startedAt'>

/** A step by its position in the list, and its parent's; -1 for none. */
export interface Place {
  readonly step: number
  readonly parent: number
}

/**
 * The steps in the order of the run, as the dashboard shows them: a parent before its children; siblings by start if
 * all have one, else by arrival. A step with an inferred parent is its sibling. Unknown parents count as none, and so
 * does one parent of each circle. `steps` are in the order of arrival.
 */
export function runOrder(steps: readonly PlacedStep[]): readonly Place[] {
  const parents = parentsOf(steps)
  const children = Map.groupBy(steps.keys(), (step) => parents[step]!)
  for (const siblings of children.values()) {
    if (siblings.some((step) => steps[step]!.startedAt === null)) continue
    siblings.sort((a, b) => steps[a]!.startedAt! - steps[b]!.startedAt! || a - b)
  }
  const order: Place[] = []
  const placed = new Uint8Array(steps.length)
  const place = (roots: readonly number[]) => {
    const waiting = roots.toReversed()
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
      if (placed[step] === 1) continue
      placed[step] = 1
      order.push({ step, parent: parents[step]! })
      for (const child of (children.get(step) ?? []).toReversed()) waiting.push(child)
    }
  }
  place(children.get(-1) ?? [])
  for (const step of steps.keys()) {
    if (placed[step] === 1) continue
    parents[step] = -1
    place([step])
  }
  return order
}

function parentsOf(steps: readonly PlacedStep[]): number[] {
  const places = new Map(steps.map(({ id }, step) => [id, step]))
  const parents: number[] = []
  for (const [step, { parentStepId, parentInferred }] of steps.entries()) {
    const named = (parentStepId === null ? undefined : places.get(parentStepId)) ?? -1
    // An inferred parent arrived earlier, so its own parent is known.
    parents.push(parentInferred ? (parents[named < step ? named : -1] ?? -1) : named)
  }
  return parents
}
