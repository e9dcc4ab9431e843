import { isDeepStrictEqual } from 'node:util'
import { rawElements, rawMembers } from './raw-members.ts'

/** Returned byte for byte; absent members are not compared. */
const VERBATIM = ['messages', 'token_usage', 'metadata', 'error'] as const
/** Returned as the same text. */
const STEP_TEXTS = ['name', 'type', 'model', 'status', 'idempotency_key', 'id', 'parent_step_id'] as const
const TRACE_TEXTS = ['name', 'run_type', 'session_id', 'user_id'] as const
const TIMES = ['started_at', 'ended_at'] as const

/** The differences between a stored trace and its body. */
export function compareTrace(sent: string, stored: string): string[] {
  const [from, to] = [rawMembers(sent), rawMembers(stored)]
  const differences = [
    ...sameRaw(from, to, ['metadata']),
    ...sameText(from, to, TRACE_TEXTS),
    ...sameTime(from, to, TIMES),
  ]
  const steps = rawElements(from.get('steps') ?? '[]')
  const storedSteps = rawElements(to.get('steps') ?? '[]')
  if (steps.length !== storedSteps.length) differences.push(`${storedSteps.length} steps instead of ${steps.length}`)
  else steps.forEach((step, index) => differences.push(...compareStep(step, storedSteps[index] as string)))
  return differences
}

export function compareStep(sent: string, stored: string): string[] {
  const [from, to] = [rawMembers(sent), rawMembers(stored)]
  return [...sameRaw(from, to, VERBATIM), ...sameText(from, to, STEP_TEXTS), ...sameTime(from, to, TIMES)]
}

type Members = ReadonlyMap<string, string>

function sameRaw(from: Members, to: Members, names: readonly string[]): string[] {
  return names
    .filter((name) => from.has(name) && from.get(name) !== to.get(name))
    .map((name) => `${name} was ${from.get(name)} and is ${to.get(name)}`)
}

function sameText(from: Members, to: Members, names: readonly string[]): string[] {
  return names
    .filter((name) => from.has(name) && !isDeepStrictEqual(parse(from, name), parse(to, name)))
    .map((name) => `${name} was ${from.get(name)} and is ${to.get(name)}`)
}

function sameTime(from: Members, to: Members, names: readonly string[]): string[] {
  return names
    .filter((name) => from.has(name) && instant(parse(from, name)) !== instant(parse(to, name)))
    .map((name) => `${name} was ${from.get(name)} and is ${to.get(name)}`)
}

function parse(members: Members, name: string): unknown {
  const text = members.get(name)
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

/** Stored to the millisecond; a leap second is the second after it. */
function instant(time: unknown): number {
  if (typeof time !== 'string') return NaN
  const leap = time.includes(':60')
  return Math.floor(Date.parse(leap ? time.replace(':60', ':59') : time)) + (leap ? 1000 : 0)
}
