import { failureText, firstRequest, lastAnswer, toPreview } from '@spoor/contract/said-text'
import type { StepSaid } from '../../ports/traces/prepared.ts'

export const NOTHING_SAID: StepSaid = { input: null, output: null, error: null }

/** What a step says by its parsed messages and its error. */
export function stepSaid(messages: unknown, error: unknown): StepSaid {
  if (messages === undefined && error === undefined) return NOTHING_SAID
  return {
    input: previewOrNull(firstRequest(messages)),
    output: previewOrNull(lastAnswer(messages)),
    error: previewOrNull(failureText(error)),
  }
}

function previewOrNull(text: string | null): string | null {
  return text === null ? null : toPreview(text)
}
