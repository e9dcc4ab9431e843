import { hash } from 'node:crypto'
import { stepExchange } from '@spoor/payloads/step-exchange'
import { knowsToolCalls, type ToolCall } from '@spoor/payloads/tool-calls'
import type { StepCalls } from '../../ports/traces/prepared.ts'

/** What only findings need of a step (run-calls.ts, unfounded-values.ts). The bench of findings leaves it out. */
export function callsOfFindings(
  type: string,
  calls: readonly ToolCall[],
  messages: unknown,
): Pick<StepCalls, 'exchange' | 'knowsCalls'> {
  const exchange = exchangeOf(type, calls, messages)
  const knowsCalls = calls.length > 0 || knowsToolCalls(messages)
  return { ...(exchange && { exchange }), ...(knowsCalls && { knowsCalls }) }
}

function exchangeOf(type: string, calls: readonly ToolCall[], messages: unknown): StepCalls['exchange'] | null {
  const isKnown = calls.length > 0 && calls.every(({ input }) => input !== undefined)
  const { given, returned } = stepExchange(type, messages, isKnown)
  const call = isKnown ? JSON.stringify(calls.map(({ name, input }) => [name, input])) : null
  if (call === null && given === null && returned === null) return null
  return { call: hashed(call), given: hashed(given), returned: hashed(returned) }
}

/** Within one run, 72 bits tell texts apart. */
function hashed(text: string | null): string | null {
  return text === null ? null : hash('sha256', text, 'base64url').slice(0, 12)
}
