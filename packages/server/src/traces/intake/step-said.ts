import { NAME_LENGTH } from '@spoor/contract/limits'
import { failureText, toPreview } from '@spoor/contract/said-text'
import { firstRequest, lastAnswer } from '@spoor/payloads/said'
import type { StepSaid } from '../../ports/traces/prepared.ts'

export const NOTHING_SAID: StepSaid = { input: null, output: null, error: null, errorType: null }

/** What a step says by its parsed messages and its error. */
export function stepSaid(messages: unknown, error: unknown): StepSaid {
  if (messages === undefined && error === undefined) return NOTHING_SAID
  return {
    input: previewOrNull(firstRequest(messages)),
    output: previewOrNull(lastAnswer(messages)),
    error: previewOrNull(failureText(error)),
    errorType: errorTypeOf(error),
  }
}

function errorTypeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('type' in error)) return null
  return filterName(error.type)
}

/** Null for what no filter can name: other values, and texts that are longer than NAME_LENGTH. */
export function filterName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= NAME_LENGTH ? value : null
}

export function previewOrNull(text: string | null): string | null {
  return text === null ? null : toPreview(text)
}
