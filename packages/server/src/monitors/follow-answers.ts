import type { MonitorTransition } from '../ports/journal/monitor-transition.ts'
import { applyAnswer, valueOf } from './monitor-machine.ts'
import type { MeasureResult } from '../ports/monitors/monitor-measures.ts'
import type { MonitorEvaluation } from '../ports/monitors/monitor-store.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'
import { evaluationTransition, type PrintMonitor } from './transition.ts'

export interface Followed {
  /** In order of time, each with the state that the previous one left. */
  readonly transitions: readonly MonitorTransition[]
  /** Writes that remain after them; null if the last answer brought one of them. */
  readonly last: MonitorEvaluation | null
}

/** The state of a monitor over a sequence of evaluation times. */
export function followAnswers(
  monitor: Monitor,
  times: { readonly firstAt: number; readonly stepMs: number },
  answers: readonly MeasureResult[],
  print: PrintMonitor,
): Followed {
  const { definition } = monitor
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
      last = { ...evaluated, monitor, ...next, previouslyEvaluatedAt }
    } else {
      const transition = evaluationTransition(stored, next.state, evaluated, print)
      transitions.push(transition)
      const { standing } = stored
      stored = { ...stored, standing: { ...standing, state: next.state, stateSince: at, lastEvaluatedAt: at } }
      last = null
    }
    tally = next
  })
  return { transitions, last }
}
