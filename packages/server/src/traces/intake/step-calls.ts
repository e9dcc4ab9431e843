import { toolCalls } from '@spoor/payloads/tool-calls'
import type { StepCalls } from '../../ports/traces/prepared.ts'
import { argumentTerms } from '../rules/argument-terms.ts'
import { callsOfFindings } from './calls-of-findings.ts'
import { filterName } from './step-said.ts'

export const NO_CALLS: StepCalls = { tools: [], arguments: [] }

/** Tools that one step may be found by. */
const MOST_TOOLS = 100

/** What a step calls, and what comes back, by its parsed messages. */
export function stepCalls(type: string, name: string, messages: unknown): StepCalls {
  const calls = toolCalls(type, name, messages)
  const others = callsOfFindings(type, calls, messages)
  if (calls.length === 0) return { ...NO_CALLS, ...others }
  const tools = new Set(calls.flatMap((call) => filterName(call.name) ?? []))
  return { tools: [...tools].slice(0, MOST_TOOLS), arguments: argumentTerms(calls), ...others }
}
