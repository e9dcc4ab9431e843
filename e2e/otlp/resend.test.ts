import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'

interface FoundTrace {
  readonly growing: boolean
  readonly step_count: number
  readonly token_usage: { readonly input: number }
  readonly steps: readonly {
    readonly name: string
    readonly ended_at: string | null
    readonly metadata: { readonly text?: string }
  }[]
}

const TRACE = '5b8efff798038103d269b633813fc60c'
const SPANS = 40
const ROUNDS = 3
const START_NS = 1_772_323_200_000_000_000n

/** Spans of one trace: at their start, and at their end with what they have used and a long text. */
function exportOf(round: number, ended: boolean): string {
  const spans = Array.from({ length: SPANS }, (_, at) => ({
    traceId: TRACE,
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

/** The export must be taken whole. */
async function sendTaken(service: Service, body: string): Promise<void> {
  const answer = await service.client.call({
    method: 'POST',
    path: '/v1/traces',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.deepEqual([answer.status, answer.text], [200, '{}'])
}

test('exports that are sent again after kill -9 are stored once, spans that end later replace their steps, and the trace is completed once', async () => {
  const environment = { SPOOR_TRACE_QUIET_SECONDS: '1', SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' }
  await using service = await Service.start({ environment })
  const subscriptions = await Subscriptions.of(() => service.client)
  // Nobody listens there: the log of deliveries is what counts.
  const webhook = await subscriptions.create({ url: 'http://127.0.0.1:9/', events: ['trace.completed'] })
  for (let round = 0; round < ROUNDS; round++) {
    await sendTaken(service, exportOf(round, false))
    // One request is under way when the process dies: it may be stored or not.
    const lost = service.client
      .call({
        method: 'POST',
        path: '/v1/traces',
        headers: { 'content-type': 'application/json' },
        body: exportOf(round, true),
      })
      .catch(() => null)
    if (round % 2 === 1) await lost
    await service.kill()
    await lost
    await service.start()
    await sendTaken(service, exportOf(round, true))
    await sendTaken(service, exportOf(round, false))
    const {
      step_count: count,
      token_usage: usage,
      steps,
    } = (await service.client.get(`/v1/traces/${TRACE}`)).json<FoundTrace>()
    const expected = (round + 1) * SPANS
    assert.deepEqual([count, usage.input, steps.length], [expected, 7 * expected, expected])
    assert.equal(new Set(steps.map(({ name }) => name)).size, expected)
    for (const { name, ended_at: endedAt, metadata } of steps) {
      assert.ok(endedAt !== null && metadata.text !== undefined, name)
    }
  }
  // Page by page, from what the engine holds after a clean restart.
  await service.restart()
  const names: string[] = []
  let cursor: string | null = null
  do {
    const path: string = `/v1/traces/${TRACE}/steps?limit=33${cursor === null ? '' : `&cursor=${cursor}`}`
    const page = (await service.client.get(path)).json<Pick<FoundTrace, 'steps'> & { next_cursor: string | null }>()
    names.push(...page.steps.filter(({ ended_at }) => ended_at !== null).map(({ name }) => name))
    cursor = page.next_cursor
  } while (cursor !== null)
  await eventually('the trace is complete', async () => {
    const trace = (await service.client.get(`/v1/traces/${TRACE}`)).json<FoundTrace>()
    return !trace.growing && (await subscriptions.deliveries(webhook)).length > 0
  })
  await sendTaken(service, exportOf(ROUNDS, true))
  await service.restart()
  const whole = await service.client.postTrace({ name: 'whole', steps: [{ name: 'a' }] })
  assert.equal(whole.status, 202)
  // Events are dispatched in order.
  await eventually('the event of the second trace', async () => (await subscriptions.deliveries(webhook)).length > 1)
  assert.equal((await subscriptions.deliveries(webhook)).length, 2)
  assert.equal(new Set(names).size, ROUNDS * SPANS)
  assert.equal(names.length, ROUNDS * SPANS)
})
