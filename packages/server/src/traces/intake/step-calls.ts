import { toolCalls } from '@spoor/payloads/tool-calls'
import type { StepCalls } from '../../ports/traces/prepared.ts'
import { argumentTerms } from '../rules/argument-terms.ts'
import { filterName } from './step-said.ts'

export const NO_CALLS: StepCalls = { tools: [], arguments: [] }

/** Tools that one step may be found by. */
const MOST_TOOLS = 100

/** What a step calls, by its parsed messages. */
export function stepCalls(type: string, name: string, messages: unknown): StepCalls {
  const calls = toolCalls(type, name, messages)
  if (calls.length === 0) return NO_CALLS
  const tools = new Set(calls.flatMap((call) => filterName(call.name) ?? []))
  return { tools: [...tools].slice(0, MOST_TOOLS), arguments: argumentTerms(calls) }
}
