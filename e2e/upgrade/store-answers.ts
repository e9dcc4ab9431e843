import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'
import { openTail } from '../lib/tail.ts'

/** In the archive of a store: what its service answered before it was killed. */
export const ANSWERS_FILE = 'answers.json'

/** Of a request with these headers, which authenticate. */
export interface Answered {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A request whose repetition has the same answer and changes nothing. */
export interface Repeated extends Answered {
  readonly sent: string
}

interface TailEvent {
  readonly event: string
  readonly data: unknown
}

export interface StoreAnswers {
  /** Of the first project, with all scopes. */
  readonly key: string
  /** When they were read, milliseconds since 1970. */
  readonly at: number
  /** These answers hold for ever. */
  readonly always: readonly Answered[]
  /** These hold at that time: later, Spoor forgets what they say. */
  readonly passing: readonly Answered[]
  /** What the tail of the first project has from its beginning, at that time. */
  readonly events: readonly TailEvent[]
  readonly repeated: readonly Repeated[]
  readonly medium: { readonly uri: string; readonly text: string }
}

/** Of monitors, what each evaluation replaces; of clusters, what would take most of the archive. */
const LEFT_OUT = new Set(['last_value', 'last_samples', 'last_evaluated_at', 'centroid'])

/** Reads as somebody with these headers. */
export async function answersOf(
  client: Client,
  headers: Answered['headers'],
  paths: readonly string[],
): Promise<Answered[]> {
  const answers: Answered[] = []
  const anyone = client.as(null)
  for (const path of paths) answers.push({ path, headers, body: withoutLeftOut(await readAs(anyone, path, headers)) })
  return answers
}

/** A later version may have more fields, but no other values, and lists of the same length. */
export async function assertAnswers(client: Client, answers: readonly Answered[]): Promise<void> {
  const anyone = client.as(null)
  for (const { path, headers, body } of answers) {
    assert.deepEqual(sharedFields(await readAs(anyone, path, headers), body), body, path)
  }
}

export async function assertRepeats(client: Client, { path, headers, sent, body }: Repeated): Promise<void> {
  const answer = await client.as(null).call({ method: 'POST', path, headers, body: sent })
  assert.ok(answer.status < 300, answer.text)
  assert.deepEqual(sharedFields(answer.json(), body), body, path)
}

/** The events of the tail up to the one about this trace. */
export async function eventsThrough(client: Client, key: string, traceId: string): Promise<TailEvent[]> {
  const tail = await openTail(client.url, key, { 'last-event-id': '0' })
  try {
    const ends = (data: string) => data.includes(traceId)
    await tail.until(({ events }) => events.some(({ data }) => ends(data)))
    const last = tail.events.findIndex(({ data }) => ends(data))
    return tail.events.slice(0, last + 1).map(({ event, data }) => ({ event, data: JSON.parse(data) as unknown }))
  } finally {
    tail.close()
  }
}

/** The last digits of a sum follow from the order in which the engine read its rows. */
const LAST_DIGITS = 1e-12

/** `found`, with only those fields of its objects that `expected` has. */
export function sharedFields(found: unknown, expected: unknown): unknown {
  if (typeof found === 'number' && typeof expected === 'number')
    return Math.abs(found - expected) <= LAST_DIGITS * Math.abs(expected) ? expected : found
  if (Array.isArray(found) && Array.isArray(expected)) {
    return found.map((element, index) => sharedFields(element, expected[index] as unknown))
  }
  if (!isObject(found) || !isObject(expected)) return found
  const names = Object.keys(expected).filter((name) => name in found)
  return Object.fromEntries(names.map((name) => [name, sharedFields(found[name], expected[name])]))
}

function withoutLeftOut(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutLeftOut)
  if (!isObject(body)) return body
  const fields = Object.entries(body).filter(([name]) => !LEFT_OUT.has(name))
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutLeftOut(value)]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function readAs(client: Client, path: string, headers: Answered['headers']): Promise<unknown> {
  const answer = await client.call({ path, headers })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.json<unknown>()
}
