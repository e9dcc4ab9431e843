import type { Step } from '@spoor/contract/schemas/traces/step'
import { printMessage } from '@spoor/payloads/print-message'

/** A text of a step that may be long. `part` names it when a caller reads on. */
export interface StepText {
  readonly part: string
  readonly text: string
}

/** The error, the metadata and the messages, in this order. */
export function stepTexts(step: Step): StepText[] {
  const texts: StepText[] = []
  if (step.error !== undefined) texts.push({ part: 'error', text: errorText(step.error) })
  if (step.metadata !== undefined && Object.keys(step.metadata).length > 0)
    texts.push({ part: 'metadata', text: JSON.stringify(step.metadata) })
  for (const [at, message] of (step.messages ?? []).entries())
    texts.push({ part: `messages/${at}`, text: printMessage(message) })
  return texts
}

function errorText({ type, message }: NonNullable<Step['error']>): string {
  return [type, message].filter((text) => text !== undefined).join(': ')
}
