import { billOfUsage, addBill, bounded, usageOfBill } from '../../ports/prices/bill.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { Finding, RunCalls, SeenCall, UnfoundedValue, Wasted } from '../../ports/traces/trace-record.ts'

/*
 * Repetitions of a run, found while its steps come, in any number of commits:
 *
 * - `repeated_call`: one call with the same arguments and the same result, three times or more. A poll whose result
 *   changes is none.
 * - `cycle`: two or three such calls that alternate.
 * - `no_progress`: a model that is given the same and answers the same three times or more, while its input grows.
 *
 * A result is what the step of the tool returns, else what the model is given next. The tokens of a call of a model
 * that asked for a repetition are wasted; those of the first time are not.
 */

export const NO_CALLS_YET: RunCalls = { done: 0, open: null, asked: null, seen: [] }

/** From so many times on, it is a finding. */
const LEAST_TIMES = 3
/** A call is forgotten when so many different ones follow it: this bounds the row of a trace. */
const MOST_SEEN = 64
/** Steps that a finding names. */
const MOST_NAMED = 50
/** A cycle has at most so many calls. */
const LONGEST_CYCLE = 3

/** What is read of a step. */
export type CallingStep = Pick<PreparedStep, 'name' | 'type' | 'status' | 'tokenUsage' | 'calls' | 'said'>

/** The calls after a step arrived at this position. `used`: what the step itself used. */
export function withCalls(before: RunCalls, at: number, step: CallingStep, used: Wasted['usage']): RunCalls {
  const { type, calls } = step
  const { exchange } = calls
  if (type === 'llm') return withModelCall(before, at, step, used)
  const result = exchange?.returned ?? (step.status === 'error' ? (step.said.error ?? 'failed') : null)
  if (result === null) return before
  const { open } = before
  const tool = calls.tools[0] ?? step.name
  const call = type === 'tool' ? (exchange?.call ?? null) : null
  if (call !== null) return withResult({ ...before, open: null }, { key: `${call}${result}`, tool, at })
  if (open === null || (type !== 'tool' && step.name !== open.tool)) return before
  return withResult({ ...before, open: null }, { key: `${open.call}${result}`, tool: open.tool, at })
}

function withModelCall(before: RunCalls, at: number, { tokenUsage, calls }: CallingStep, usage: Wasted['usage']) {
  const { call = null, given = null, returned = null } = calls.exchange ?? {}
  const { open } = before
  const after =
    open === null || given === null
      ? before
      : withResult(before, { key: `${open.call}${given}`, tool: open.tool, at: open.at })
  const tokens = tokenUsage === null ? 0 : bounded(tokenUsage.input + tokenUsage.output)
  const asking = { ...after, open: null, asked: tokens === 0 ? null : { tokens, usage } }
  if (call !== null) return { ...asking, open: { call, tool: calls.tools[0] ?? '', at } }
  const input = tokenUsage?.input ?? 0
  if (given === null || returned === null || input === 0) return asking
  return withResult(asking, { key: `${given}${returned}`, tool: '', at, input })
}

interface Done {
  readonly key: string
  readonly tool: string
  readonly at: number
  readonly input?: number
}

function withResult(before: RunCalls, { key, tool, at, input }: Done): RunCalls {
  const done = before.done + (input === undefined ? 1 : 0)
  const own = { key, last: done, ...(input === undefined ? {} : { input }) }
  const known = before.seen.find((one) => one.key === key)
  const others = before.seen.filter((one) => one !== known)
  if (known === undefined) return { ...before, done, seen: [...others.slice(1 - MOST_SEEN), { ...own, at: [at] }] }
  // An answer to a smaller input is of another conversation; to the same, it was sampled again.
  if (input !== undefined && input <= (known.input ?? 0)) {
    return input === known.input ? before : { ...before, seen: [...others, { ...own, at: [at] }] }
  }
  const { asked } = before
  const { repeated } = known
  const { tokens, usage } = sumOf([repeated ?? NOTHING_WASTED, asked ?? NOTHING_WASTED])
  const gap = done - known.last
  const again = {
    ...own,
    at: known.at.length < MOST_NAMED ? [...known.at, at] : known.at,
    repeated: {
      tool,
      times: (repeated?.times ?? 1) + 1,
      gap,
      cycleAt: gap === repeated?.gap ? done : null,
      tokens,
      usage,
    },
  }
  return { ...before, done, asked: null, seen: [...others, again] }
}

const NOTHING_WASTED: Wasted = { tokens: 0, usage: [] }

function sumOf(all: readonly Wasted[]): Wasted {
  const bill = billOfUsage([])
  for (const { usage } of all) addBill(bill, billOfUsage(usage), 1)
  return { tokens: bounded(all.reduce((sum, { tokens }) => sum + tokens, 0)), usage: usageOfBill(bill) ?? [] }
}

/** Without what a step at this position did, which is about to be replaced. */
export function withoutCalls(before: RunCalls, at: number): RunCalls {
  const isElsewhere = (one: UnfoundedValue) => one.at !== at
  if (before.unfounded?.every(isElsewhere) === false)
    return withoutCalls({ ...before, unfounded: before.unfounded.filter(isElsewhere) }, at)
  if (!before.seen.some((one) => one.at.includes(at))) return before
  const seen = before.seen.flatMap((one): readonly SeenCall[] => {
    if (!one.at.includes(at)) return [one]
    const { repeated, ...rest } = one
    const left = one.at.filter((other) => other !== at)
    if (repeated === undefined) return []
    const times = repeated.times - 1
    return [{ ...rest, at: left, ...(times > 1 ? { repeated: { ...repeated, times } } : {}) }]
  })
  return { ...before, seen }
}

/** What a run did too often, and its values from nowhere, by the first step of each. */
export function findingsOf({ seen, unfounded = [] }: RunCalls): readonly Finding[] {
  const often = seen.flatMap(({ at, repeated }) =>
    repeated === undefined || repeated.times < LEAST_TIMES ? [] : [{ at, repeated }],
  )
  if (often.length === 0 && unfounded.length === 0) return NONE
  const isTogether = (one: Often, other: Often) =>
    isCyclic(one) &&
    isCyclic(other) &&
    one.repeated.gap === other.repeated.gap &&
    Math.abs((one.repeated.cycleAt ?? 0) - (other.repeated.cycleAt ?? 0)) < one.repeated.gap
  const groups: Often[][] = []
  for (const one of often) {
    const group = groups.find(([first]) => first !== undefined && isTogether(first, one))
    if (group === undefined) groups.push([one])
    else group.push(one)
  }
  const values = Map.groupBy(unfounded, ({ tool, path }) => JSON.stringify([tool, path])).values()
  return [...groups.map(toFinding), ...[...values].map(valuesToFinding)].sort((one, other) => one.at[0]! - other.at[0]!)
}

/** Each kind once. */
export function findingKindsOf(calls: RunCalls): readonly Finding['kind'][] {
  return [...new Set(findingsOf(calls).map(({ kind }) => kind))]
}

const NONE: readonly Finding[] = []

interface Often {
  readonly at: readonly number[]
  readonly repeated: NonNullable<SeenCall['repeated']>
}

function isCyclic({ repeated: { tool, gap, cycleAt } }: Often): boolean {
  return tool !== '' && gap > 1 && gap <= LONGEST_CYCLE && cycleAt !== null
}

function toFinding(group: readonly Often[]): Finding {
  const tools = [...new Set(group.map(({ repeated }) => repeated.tool))].filter((tool) => tool !== '')
  return {
    argument: null,
    kind: group.length > 1 ? 'cycle' : tools.length === 0 ? 'no_progress' : 'repeated_call',
    tools,
    times: Math.min(...group.map(({ repeated }) => repeated.times)),
    at: group
      .flatMap(({ at }) => at)
      .sort((one, other) => one - other)
      .slice(0, MOST_NAMED),
    ...sumOf(group.map(({ repeated }) => repeated)),
  }
}

/** Of one argument of one tool. */
function valuesToFinding(values: readonly UnfoundedValue[]): Finding {
  const { tool, path } = values[0]!
  const at = values.map((one) => one.at).sort((one, other) => one - other)
  const named = [...new Set(at)].slice(0, MOST_NAMED)
  const kind = 'value_from_nowhere'
  return { kind, tools: [tool], argument: path, times: at.length, at: named, ...NOTHING_WASTED }
}

/** What all findings of a run wasted. */
export function wastedOf(calls: RunCalls): Wasted {
  const findings = findingsOf(calls)
  return findings.length === 0 ? NOTHING_WASTED : sumOf(findings)
}
