import { hash } from 'node:crypto'
import { stepExchange } from '@spoor/payloads/step-exchange'
import { knowsToolCalls, type ToolCall, toolCalls } from '@spoor/payloads/tool-calls'
import type { StepCalls } from '../../ports/traces/prepared.ts'
import { argumentTerms } from '../rules/argument-terms.ts'
import { filterName } from './step-said.ts'

export const NO_CALLS: StepCalls = { tools: [], arguments: [] }

/** Tools that one step may be found by. */
const MOST_TOOLS = 100

/** What a step calls, and what comes back, by its parsed messages. */
export function stepCalls(type: string, name: string, messages: unknown): StepCalls {
  const calls = toolCalls(type, name, messages)
  const exchange = exchangeOf(type, calls, messages)
  const knowsCalls = calls.length > 0 || knowsToolCalls(messages)
  const others = { ...(exchange && { exchange }), ...(knowsCalls && { knowsCalls }) }
  if (calls.length === 0) return { ...NO_CALLS, ...others }
  const tools = new Set(calls.flatMap((call) => filterName(call.name) ?? []))
  return { tools: [...tools].slice(0, MOST_TOOLS), arguments: argumentTerms(calls), ...others }
}

function exchangeOf(type: string, calls: readonly ToolCall[], messages: unknown): StepCalls['exchange'] | null {
  const { given, returned } = stepExchange(type, messages)
  const isKnown = calls.length > 0 && calls.every(({ input }) => input !== undefined)
  const call = isKnown ? JSON.stringify(calls.map(({ name, input }) => [name, input])) : null
  if (call === null && given === null && returned === null) return null
  return { call: hashed(call), given: hashed(given), returned: hashed(returned) }
}

/** Within one run, 72 bits tell texts apart. */
function hashed(text: string | null): string | null {
  return text === null ? null : hash('sha256', text, 'base64url').slice(0, 12)
}
