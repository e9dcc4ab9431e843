import type { MonitorTransition } from '../ports/journal/monitor-transition.ts'
import { stateOfGroups } from '../ports/monitors/group-standings.ts'
import type { MeasureResult } from '../ports/monitors/monitor-measures.ts'
import type { MonitorEvaluation } from '../ports/monitors/monitor-store.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'
import { evaluateGroups } from './evaluate-groups.ts'
import { applyAnswer, valueOf } from './monitor-machine.ts'
import { evaluationTransition, type PrintMonitor } from './transition.ts'

export interface Followed {
  /** In order of time, each with the state that the previous one left. */
  readonly transitions: readonly MonitorTransition[]
  /** Writes that remain after them; null if the last answer brought one of them. */
  readonly last: MonitorEvaluation | null
}

interface Times {
  readonly firstAt: number
  readonly stepMs: number
}

/** The state of a monitor over a sequence of evaluation times. */
export function followAnswers(
  monitor: Monitor,
  times: Times,
  answers: readonly MeasureResult[],
  print: PrintMonitor,
): Followed {
  return monitor.definition.forEach === null
    ? followWhole(monitor, times, answers, print)
    : followGroups(monitor, times, answers, print)
}

function followWhole(monitor: Monitor, times: Times, answers: readonly MeasureResult[], print: PrintMonitor): Followed {
  const { definition, groups } = monitor
  const transitions: MonitorTransition[] = []
  /** The state that the store will have: after the last transition. */
  let stored = monitor
  let tally = { state: monitor.standing.state, breaches: monitor.standing.breaches }
  let last: MonitorEvaluation | null = null
  answers.forEach((answer, index) => {
    const at = times.firstAt + index * times.stepMs
    const value = valueOf(definition, answer)
    const next = applyAnswer(definition, tally, answer)
    const evaluated = { at, value, samples: answer.samples }
    if (next.state === tally.state) {
      const previouslyEvaluatedAt = stored.standing.lastEvaluatedAt
      last = { ...evaluated, monitor, ...next, previouslyEvaluatedAt, groups }
    } else {
      const transition = evaluationTransition(stored, null, { ...evaluated, to: next.state }, print)
      transitions.push(transition)
      const { standing } = stored
      stored = { ...stored, standing: { ...standing, state: next.state, stateSince: at, lastEvaluatedAt: at } }
      last = null
    }
    tally = next
  })
  return { transitions, last }
}

/**
 * The transitions of a round are committed before its other results are recorded: after a round that did not end, the
 * groups that changed are ahead of their monitor, and not evaluated again.
 */
function followGroups(
  monitor: Monitor,
  times: Times,
  answers: readonly MeasureResult[],
  print: PrintMonitor,
): Followed {
  const previouslyEvaluatedAt = monitor.standing.lastEvaluatedAt
  const transitions: MonitorTransition[] = []
  /** The evaluation times of groups that the store will have. */
  const storedAt = new Map([...monitor.groups].map(([group, { lastEvaluatedAt }]) => [group, lastEvaluatedAt]))
  let { groups } = monitor
  let last: MonitorEvaluation | null = null
  answers.forEach((answer, index) => {
    const at = times.firstAt + index * times.stepMs
    const evaluated = evaluateGroups(
      monitor.definition,
      groups,
      answer,
      at,
      ({ lastEvaluatedAt }) =>
        lastEvaluatedAt !== null && lastEvaluatedAt >= at && lastEvaluatedAt > (previouslyEvaluatedAt ?? -Infinity),
    )
    for (const { group, ...change } of evaluated.changes) {
      const previous = { lastEvaluatedAt: storedAt.get(group) ?? null }
      const found = { ...monitor, standing: { ...monitor.standing, ...previous } }
      transitions.push(evaluationTransition(found, group, { ...change, at }, print))
      storedAt.set(group, at)
    }
    groups = evaluated.groups
    const state = stateOfGroups(groups)
    last = { monitor, state, previouslyEvaluatedAt, at, value: null, samples: answer.samples, breaches: 0, groups }
  })
  return { transitions, last }
}
