import type { StepId } from '@spoor/contract/ids'
import type { DivergenceKind, NoDivergence } from '@spoor/contract/schemas/traces/trace-divergence'
import type { Action, Run } from './run-actions.ts'
import type { ToolWeights } from './tool-weights.ts'

interface Difference {
  /** The position among the run's actions; of a missing one, half a position after the one it follows. */
  readonly place: number
  readonly action: Action
  readonly isMissing: boolean
  /** From 0 to 1. */
  readonly weight: number
  /** It weighs by its tool alone, which the other run did not call. */
  readonly isByTool: boolean
  /** How much more often it is what failed runs differ in, from 0 to 1. */
  readonly ofFailure: number
}

export interface RunDistance {
  /** In the order of the run. */
  readonly differences: readonly Difference[]
  /** The sum of the weights of all actions that are in one run alone. */
  readonly distance: number
  /** The weight of common actions as a share of all, from 0 to 1. */
  readonly similarity: number
}

export function distanceOf(run: Run, success: Run, weights: ToolWeights): RunDistance {
  const differences: Difference[] = []
  const places = new Map(run.actions.map(({ key }, place) => [key, place]))
  let [shared, distance] = [0, 0]
  const differs = (place: number, action: Action, isMissing: boolean, other: Run) => {
    const weight = weights.ofAction(action)
    distance += weight
    const ofTool = other.tools.has(action.tool) ? 0 : weights.ofTool(action)
    const ofFailure = weights.ofFailure(action)
    differences.push({
      place,
      action,
      isMissing,
      weight: Math.max(weight, ofTool),
      isByTool: ofTool > weight,
      ofFailure,
    })
  }
  for (const [place, action] of run.actions.entries()) {
    if (success.keys.has(action.key)) shared += weights.ofAction(action)
    else differs(place, action, false, success)
  }
  let last = -1
  for (const action of success.actions) {
    const place = places.get(action.key) ?? placeOfOther(action, last)
    if (!run.keys.has(action.key)) differs(place ?? last + 0.5, action, true, run)
    if (place !== null) last = Math.max(last, place)
  }
  differences.sort((one, other) => one.place - other.place)
  const all = shared + distance
  return { differences, distance, similarity: all === 0 ? 1 : shared / all }

  /** Where the run called the tool with arguments of its own, before the next common action. */
  function placeOfOther({ tool }: Action, after: number): number | null {
    for (let at = after + 1; at < run.actions.length; at += 1) {
      const one = run.actions[at]!
      if (success.keys.has(one.key)) return null
      if (one.tool === tool) return at
    }
    return null
  }
}

export interface FirstDivergence {
  readonly stepId: StepId
  readonly kind: DivergenceKind
  /** What the run did there, and what successes did that it did not. */
  readonly done: Action | null
  readonly missing: Action | null
  readonly successes: number
  /** The most frequent first. */
  readonly instead: readonly { readonly name: string; readonly count: number }[]
}

/** Lower weights do not make a step the first divergence, unless the run differs at one place alone. */
const TELLING = 0.2
/**
 * Of the most that one difference tells about the failure. One that tells less is passed over: a look before a change.
 */
const PASSED_OVER = 0.5
/** The least similarity of the nearest success; without a second one, evidence needs more. */
const LEAST_SIMILARITY = { several: 0.2, single: 0.4 } as const

/**
 * Where a run first leaves what successes do, or why that is not known: the first difference from the nearest success
 * that weighs enough, if no other success has the added action, or at least half of them have the missing one, and no
 * later one tells twice as much about the failure. A run that differs at one place alone diverges there.
 */
export function firstDivergence<R extends { readonly run: Run } & RunDistance>(
  run: Run,
  /** The nearest first. */
  successes: readonly R[],
): FirstDivergence | NoDivergence {
  const nearest = successes[0]
  if (nearest === undefined) return 'no_success'
  if (run.lastStepId === null) return 'no_clear_step'
  if (successes.some(({ differences }) => differences.length === 0)) {
    return run.actions.length === 0 ? 'no_clear_step' : 'same_as_success'
  }
  const least = successes.length === 1 ? LEAST_SIMILARITY.single : LEAST_SIMILARITY.several
  const { differences } = nearest
  const hasCommon = run.actions.some(({ key }) => nearest.run.keys.has(key))
  const isAlone = hasCommon && differences.at(-1)!.place - differences[0]!.place <= 0.5
  if (!isAlone && nearest.similarity < least) return 'too_different'
  const agreed = differences.filter((one) => one.weight >= TELLING && isAgreed(one))
  const told = (one: Difference) => one.weight * one.ofFailure
  const most = Math.max(...agreed.map(told))
  const telling = agreed.find((one) => told(one) >= PASSED_OVER * most)
  const only = isAlone ? differences.find((one) => one.isMissing || isNew(one.action)) : undefined
  const first = telling ?? only
  if (first === undefined) return 'no_clear_step'
  const there = differences.filter(({ place }) => isAt(place, first.place)).sort(byWeight)
  const added = there.find(({ isMissing }) => !isMissing)
  const lacking = there.find(({ isMissing }) => isMissing)
  const missing = lacking?.action ?? null
  // A note or a search in the place of something that matters is not what went wrong.
  const hides = added !== undefined && lacking !== undefined && added.weight < TELLING && lacking.weight >= TELLING
  const done = hides ? null : (added?.action ?? null)
  const next = added?.action ?? run.actions[Math.ceil(first.place)]
  return {
    stepId: next?.stepId ?? run.lastStepId,
    kind: missing === null ? 'added' : done === null ? 'missing' : 'changed',
    done,
    missing,
    successes: successes.length,
    instead: insteadOf(run, successes, first.place, missing),
  }

  function isNew({ key }: Action): boolean {
    return !successes.some((other) => other.run.keys.has(key))
  }

  function isAgreed({ isMissing, isByTool, action }: Difference): boolean {
    if (!isMissing) return isByTool ? !successes.some((other) => other.run.tools.has(action.tool)) : isNew(action)
    return successes.filter((other) => has(other.run, action, run)).length * 2 >= successes.length
  }
}

/** A missing action is half a position before the action that is in its place. */
const isAt = (place: number, first: number) => Math.ceil(place) === Math.ceil(first)
const byWeight = (one: Difference, other: Difference) => other.weight - one.weight

/** Of each success the missing action, if it has it anywhere, else its weightiest action there. */
function insteadOf(
  run: Run,
  successes: readonly ({ readonly run: Run } & RunDistance)[],
  at: number,
  missing: Action | null,
): FirstDivergence['instead'] {
  const counts = new Map<string, number>()
  for (const { differences, run: success } of successes) {
    const there = differences.filter(({ place, isMissing }) => isMissing && isAt(place, at))
    const action = missing !== null && has(success, missing, run) ? missing : there.sort(byWeight)[0]?.action
    if (action === undefined) continue
    const name = run.tools.has(action.tool) ? action.label : action.tool
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => ({ name, count })).sort((one, other) => other.count - one.count)
}

/** Arguments count only if the run called the tool with others. */
function has({ keys, tools }: Run, { key, tool }: Action, run: Run): boolean {
  return run.tools.has(tool) ? keys.has(key) : tools.has(tool)
}
