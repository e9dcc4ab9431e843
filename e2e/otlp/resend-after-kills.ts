import assert from 'node:assert/strict'
import type { Service } from '../lib/service.ts'

interface FoundTrace {
  readonly step_count: number
  readonly token_usage: { readonly input: number }
  readonly steps: readonly {
    readonly name: string
    readonly ended_at: string | null
    readonly metadata: { readonly text?: string }
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

/** Spans of one trace: at their start, and at their end with what they have used and a long text. */
export function exportOf(round: number, ended: boolean): string {
  const spans = Array.from({ length: SPANS }, (_, at) => ({
    traceId: traceOf(round),
    spanId: (round * SPANS + at + 1).toString(16).padStart(16, '0'),
    name: `call ${round}.${at}`,
    startTimeUnixNano: String(START_NS),
    endTimeUnixNano: ended ? String(START_NS + 5_000_000n) : '0',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      ...(ended
        ? [
            { key: 'gen_ai.usage.input_tokens', value: { intValue: '7' } },
            { key: 'text', value: { stringValue: 'x'.repeat(at % 7 === 0 ? 20_000 : 10) } },
          ]
        : []),
    ],
  }))
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

/** Log records of the same spans: two messages of each. */
function logsOf(round: number): string {
  const logRecords = Array.from({ length: 2 * SPANS }, (_, at) => ({
    traceId: traceOf(round),
    spanId: (round * SPANS + (at % SPANS) + 1).toString(16).padStart(16, '0'),
    timeUnixNano: String(START_NS + BigInt(at)),
    eventName: 'gen_ai.user.message',
    body: { stringValue: `call ${round}.${at % SPANS} ${at < SPANS ? 'first' : 'then'}` },
  }))
  return JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
}

/** The export must be taken whole. */
export async function sendTaken(service: Service, body: string): Promise<void> {
  const answer = await send(service, body)
  assert.deepEqual([answer.status, answer.text], [200, '{}'])
}

function send(service: Service, body: string) {
  const path = body.startsWith('{"resourceLogs"') ? '/v1/logs' : '/v1/traces'
  return service.client.call({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body })
}

/**
 * Kills the service in each round while an export is under way, sends it again, and compares what is stored with what
 * was acknowledged: nothing is lost, nothing is stored twice. `onRound` is called after each round.
 */
export async function resendAfterKills(
  service: Service,
  rounds: number,
  onRound: (round: number) => void = () => undefined,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await killAndResend(service, round)
    onRound(round)
  }
  // Page by page, from what the engine holds after a clean restart.
  await service.restart()
  for (let first = 0; first < rounds; first += ROUNDS_OF_TRACE) {
    await readPages(service, first, Math.min(rounds - first, ROUNDS_OF_TRACE))
  }
}

async function killAndResend(service: Service, round: number): Promise<void> {
  // In every second round records come before their spans.
  const recordsFirst = round % 4 < 2
  await sendTaken(service, recordsFirst ? logsOf(round) : exportOf(round, false))
  // Two requests are under way when the process dies: each may be stored or not.
  const under = [exportOf(round, true), recordsFirst ? exportOf(round, false) : logsOf(round)]
  const lost = Promise.all(under.map((body) => send(service, body).catch(() => null)))
  if (round % 2 === 1) await lost
  await service.kill()
  await lost
  await service.start()
  for (const body of [exportOf(round, true), logsOf(round), exportOf(round, false), logsOf(round)])
    await sendTaken(service, body)
  const {
    step_count: count,
    token_usage: usage,
    steps,
  } = (await service.client.get(`/v1/traces/${traceOf(round)}`)).json<FoundTrace>()
  const expected = ((round % ROUNDS_OF_TRACE) + 1) * SPANS
  assert.deepEqual([count, usage.input, steps.length], [expected, 7 * expected, expected])
  assert.equal(new Set(steps.map(({ name }) => name)).size, expected)
  for (const { name, ended_at: endedAt, metadata, messages } of steps) {
    assert.ok(endedAt !== null && metadata.text !== undefined, name)
    const said = messages?.map(({ content: [{ text }] }) => text)
    assert.deepEqual(said, [`${name} first`, `${name} then`])
  }
}

async function readPages(service: Service, first: number, rounds: number): Promise<void> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const path: string = `/v1/traces/${traceOf(first)}/steps?limit=33${cursor === null ? '' : `&cursor=${cursor}`}`
    const page = (await service.client.get(path)).json<Pick<FoundTrace, 'steps'> & { next_cursor: string | null }>()
    names.push(...page.steps.filter(({ ended_at }) => ended_at !== null).map(({ name }) => name))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.equal(new Set(names).size, rounds * SPANS)
  assert.equal(names.length, rounds * SPANS)
}
