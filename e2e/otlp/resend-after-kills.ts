import assert from 'node:assert/strict'
import type { Service } from '../lib/service.ts'

interface FoundTrace {
  readonly step_count: number
  readonly token_usage: { readonly input: number }
  readonly steps: readonly {
    readonly name: string
    readonly ended_at: string | null
    readonly messages?: readonly { readonly content: readonly [{ readonly text: string }] }[]
  }[]
}

export const SPANS = 40
/** Rounds that share a trace. */
export const ROUNDS_OF_TRACE = 10
const START_NS = 1_772_323_200_000_000_000n

export const traceOf = (round: number): string =>
  `5b8efff798038103d269b633${Math.floor(round / ROUNDS_OF_TRACE)
    .toString(16)
    .padStart(8, '0')}`

const START_MS = Number(START_NS / 1_000_000n)
export const USED = 7
const textOf = (at: number) => 'x'.repeat(at % 7 === 0 ? 20_000 : 10)

/** How many spans, and the text of each. */
export interface Size {
  readonly count: number
  readonly textOf: (at: number) => string
}

const SIZE: Size = { count: SPANS, textOf }
const each = <T>({ count }: Size, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const idOf = (round: number, at: number) => (round * SPANS + at + 1).toString(16).padStart(32, '0')
const nameOf = (round: number, at: number) => `call ${round}.${at}`

/** A client of the service that tells of each call at its start, and at its end. */
interface Sender {
  readonly path: string
  /** Spans of one trace: at their start, and at their end with what they have used and a long text. */
  readonly bodyOf: (round: number, ended: boolean, size?: Size) => unknown
  /** Log records of the same spans. */
  readonly recordsOf?: (round: number, size?: Size) => unknown
  /** Of an answer that has taken the body whole. */
  readonly taken: (status: number, text: string) => void
}

export const SENDERS = {
  otlp: {
    path: '/otlp/v1/traces',
    bodyOf: exportOf,
    recordsOf: logsOf,
    taken: (status, text) => assert.deepEqual([status, text], [200, '{}']),
  },
  langsmith: {
    path: '/runs/batch',
    bodyOf: (round, ended, size = SIZE) => ({
      [ended ? 'patch' : 'post']: each(size, (at) => ({
        id: idOf(round, at),
        trace_id: traceOf(round),
        ...(ended
          ? {
              end_time: START_MS + 5,
              outputs: { usage_metadata: { input_tokens: USED, output_tokens: 0 }, text: size.textOf(at) },
            }
          : { name: nameOf(round, at), run_type: 'llm', start_time: START_MS }),
      })),
    }),
    taken: (status, text) => assert.deepEqual([status, text], [202, '{}']),
  },
  langfuse: {
    path: '/api/public/ingestion',
    bodyOf: (round, ended, size = SIZE) => ({
      batch: each(size, (at) => ({
        id: `${round}.${at}.${ended}`,
        type: ended ? 'generation-update' : 'generation-create',
        timestamp: new Date(START_MS + (ended ? 5 : 0)).toISOString(),
        body: {
          id: idOf(round, at),
          traceId: traceOf(round),
          ...(ended
            ? {
                endTime: new Date(START_MS + 5).toISOString(),
                usageDetails: { input: USED },
                output: { text: size.textOf(at) },
              }
            : { name: nameOf(round, at), startTime: new Date(START_MS).toISOString() }),
        },
      })),
    }),
    taken: (status, text) => assert.deepEqual([status, JSON.parse(text).errors], [207, []]),
  },
} as const satisfies Readonly<Record<string, Sender>>

export function exportOf(round: number, ended: boolean, size = SIZE): object {
  const spans = each(size, (at) => ({
    traceId: traceOf(round),
    spanId: idOf(round, at).slice(16),
    name: nameOf(round, at),
    startTimeUnixNano: String(START_NS),
    endTimeUnixNano: ended ? String(START_NS + 5_000_000n) : '0',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      ...(ended
        ? [
            { key: 'gen_ai.usage.input_tokens', value: { intValue: String(USED) } },
            { key: 'text', value: { stringValue: size.textOf(at) } },
          ]
        : []),
    ],
  }))
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

/** Log records of the same spans: two messages of each. */
function logsOf(round: number, { count }: Pick<Size, 'count'> = SIZE): object {
  const logRecords = Array.from({ length: 2 * count }, (_, at) => ({
    traceId: traceOf(round),
    spanId: idOf(round, at % count).slice(16),
    timeUnixNano: String(START_NS + BigInt(at)),
    eventName: 'gen_ai.user.message',
    body: { stringValue: `${nameOf(round, at % count)} ${at < count ? 'first' : 'then'}` },
  }))
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }
}

export type Part = 'start' | 'end' | 'records'

/** A sender without records sends the starts again in their place. */
export function requestOf({ path, bodyOf, recordsOf }: Sender, round: number, part: Part, size = SIZE) {
  const isRecords = part === 'records' && recordsOf !== undefined
  const body = isRecords ? recordsOf(round, size) : bodyOf(round, part === 'end', size)
  return {
    method: 'POST',
    path: isRecords ? '/otlp/v1/logs' : path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** A sender and the key of its project. */
export interface Place {
  readonly sender: Sender
  readonly key: string
}

function call(service: Service, { sender, key }: Place, round: number, part: Part) {
  const request = requestOf(sender, round, part)
  return service.client.call({ ...request, headers: { ...request.headers, 'x-api-key': key } })
}

/** The body must be taken whole. */
export async function sendTaken(service: Service, place: Place, round: number, part: Part): Promise<void> {
  const { status, text } = await call(service, place, round, part)
  place.sender.taken(status, text)
}

/**
 * Kills the service in each round while requests of every sender are under way, sends them again, and compares what is
 * stored with what was acknowledged: nothing is lost, nothing is stored twice. `onRound` is called after each round.
 */
export async function resendAfterKills(
  service: Service,
  places: readonly Place[],
  rounds: number,
  onRound: (round: number) => void = () => undefined,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await killDuring(service, places, round)
    for (const place of places) await resend(service, place, round)
    onRound(round)
  }
  // Page by page, from what the engine holds after a clean restart.
  await service.restart()
  for (const { key } of places) {
    for (let first = 0; first < rounds; first += ROUNDS_OF_TRACE)
      await readPages(service, key, first, Math.min(rounds - first, ROUNDS_OF_TRACE))
  }
}

async function killDuring(service: Service, places: readonly Place[], round: number): Promise<void> {
  // In every second round records come before their spans.
  const recordsFirst = round % 4 < 2
  for (const place of places) await sendTaken(service, place, round, recordsFirst ? 'records' : 'start')
  // Two requests of each are under way when the process dies: each may be stored or not.
  const under = ['end', recordsFirst ? 'start' : 'records'] as const
  const lost = Promise.all(
    places.flatMap((place) => under.map((part) => call(service, place, round, part).catch(() => null))),
  )
  if (round % 2 === 1) await lost
  await service.kill()
  await lost
  await service.start()
}

async function resend(service: Service, place: Place, round: number): Promise<void> {
  for (const part of ['end', 'records', 'start', 'records'] as const) await sendTaken(service, place, round, part)
  const {
    step_count: count,
    token_usage: usage,
    steps,
  } = (await service.client.get(`/v1/traces/${traceOf(round)}`, { 'x-api-key': place.key })).json<FoundTrace>()
  const expected = ((round % ROUNDS_OF_TRACE) + 1) * SPANS
  assert.deepEqual([count, usage.input, steps.length], [expected, USED * expected, expected])
  assert.equal(new Set(steps.map(({ name }) => name)).size, expected)
  for (const { name, ended_at: endedAt, ...step } of steps) {
    assert.ok(endedAt !== null && JSON.stringify(step).includes('xxxxxxxxxx'), name)
    if (place.sender.recordsOf === undefined) continue
    const said = step.messages?.map(({ content: [{ text }] }) => text)
    assert.deepEqual(said, [`${name} first`, `${name} then`])
  }
}

async function readPages(service: Service, key: string, first: number, rounds: number): Promise<void> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const path: string = `/v1/traces/${traceOf(first)}/steps?limit=33${cursor === null ? '' : `&cursor=${cursor}`}`
    const page = (await service.client.get(path, { 'x-api-key': key })).json<
      Pick<FoundTrace, 'steps'> & { next_cursor: string | null }
    >()
    names.push(...page.steps.filter(({ ended_at }) => ended_at !== null).map(({ name }) => name))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.equal(new Set(names).size, rounds * SPANS)
  assert.equal(names.length, rounds * SPANS)
}
