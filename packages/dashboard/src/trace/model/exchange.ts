import { mayAnswer } from '@spoor/contract/said-text'
import type { Step } from '@spoor/contract/schemas/traces/step'
import { firstRequest, lastAnswer } from '@spoor/payloads/said'

/** A text, and the step that has it. */
export interface Said {
  readonly stepId: string
  readonly text: string
}

/** What a run was asked, and what it answered last; null if no message says so. */
export interface Exchange {
  readonly input: Said | null
  readonly output: Said | null
}

/** Steps read from each end: a longer run without messages is not read whole. */
const STEPS_MAX = 2000
const LENGTH_MAX = 20_000

type ReadStep = Pick<Step, 'id' | 'type' | 'messages'>

/**
 * The first request and the last answer of the steps in this order. What the root says wins, if the run has one: the
 * last step of a graph may only say where it goes on.
 */
export function exchangeOf(
  order: readonly number[],
  stepAt: (step: number) => ReadStep,
  root: readonly number[] = [],
): Exchange {
  const find = (steps: readonly number[], textOf: (step: ReadStep) => string | null): Said | null => {
    for (const index of steps.slice(0, STEPS_MAX)) {
      const step = stepAt(index)
      const text = textOf(step)
      if (text !== null) return { stepId: step.id, text: text.slice(0, LENGTH_MAX) }
    }
    return null
  }
  return {
    input: find([...root, ...order], ({ messages }) => firstRequest(messages)),
    output: find([...root, ...order.toReversed()], ({ type, messages }) =>
      mayAnswer(type) ? lastAnswer(messages) : null,
    ),
  }
}
