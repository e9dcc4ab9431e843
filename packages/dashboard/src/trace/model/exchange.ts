import type { Step } from '@spoor/contract/schemas/traces/step'
import { partsOf } from './message-parts.ts'

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
/** Characters of each text. */
const LENGTH_MAX = 20_000
const ANSWERS: ReadonlySet<string> = new Set(['assistant', 'ai', 'model'])

/** The first request and the last answer of the steps in this order. */
export function exchangeOf(
  order: readonly number[],
  stepAt: (step: number) => Pick<Step, 'id' | 'messages'>,
): Exchange {
  const find = (steps: readonly number[], textOf: (messages: Messages) => string | null): Said | null => {
    for (const index of steps.slice(0, STEPS_MAX)) {
      const { id, messages = [] } = stepAt(index)
      const text = textOf(messages)
      if (text !== null) return { stepId: id, text: text.slice(0, LENGTH_MAX) }
    }
    return null
  }
  return {
    input: find(order, (messages) => firstText(messages, ({ role }) => role === 'user')),
    output: find(order.toReversed(), (messages) => firstText(messages.toReversed(), ({ role }) => ANSWERS.has(role))),
  }
}

type Messages = NonNullable<Step['messages']>

function firstText(messages: Messages, wanted: (message: Messages[number]) => boolean): string | null {
  for (const message of messages) {
    if (!wanted(message)) continue
    const texts = partsOf(message).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    const text = texts.join('\n\n').trim()
    if (text !== '') return text
  }
  return null
}
