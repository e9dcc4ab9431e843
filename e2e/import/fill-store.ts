import assert from 'node:assert/strict'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Client } from '../lib/client.ts'
import { upload } from '../lib/media/media.ts'

export const SHORT_TRACES = 80
/** A medium, which a step links to. */
export const FILE = { content: 'the report' }
const LONG_STEPS = 2500
const MANY_EVENTS = 2500
const JSON_BODY = { 'content-type': 'application/json' }

export async function post(client: Client, path: string, body: object, method = 'POST'): Promise<string> {
  const answer = await client.call({ method, path, headers: JSON_BODY, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.json<{ id: string }>().id
}

export async function defineMetrics(client: Client): Promise<void> {
  await post(client, '/v1/metrics', { name: 'good', kind: 'boolean' })
  await post(client, '/v1/metrics', { name: 'score', kind: 'numeric' })
  await post(client, '/v1/metrics', { name: 'tone', kind: 'enum', options: [{ value: 'curt' }] })
}

const hex = (number: number) => number.toString(16).padStart(16, '0')

/** Traces of every kind that an export has to keep. */
export async function fill(client: Client): Promise<void> {
  await defineMetrics(client)
  const times = { started_at: '2026-01-31T12:00:00.125Z', ended_at: '2026-01-31T12:00:01.5Z' }
  const everything = await post(client, '/v1/traces', {
    name: 'every\u2028thing "é"',
    run_type: 'eval',
    session_id: 's-1',
    user_id: 'u-1',
    metadata: { n: 1.5, nested: { list: [null, true] } },
    ...times,
    steps: [
      { name: 'plan', type: 'agent', ...times },
      {
        name: 'answer',
        type: 'llm',
        model: 'gpt-4o',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'word' }], x: 1 }],
        token_usage: { input: 3, output: 2, cost_usd: 0.25 },
        idempotency_key: 'once',
      },
      { name: 'fails', status: 'error', error: { type: 'TimeoutError', message: 'late' }, parent_step_id: null },
    ],
  })
  const appended = await client.append(everything, '{"name":"appended","metadata":{"big":12345678901234567890}}\n')
  assert.equal(appended.status, 200, appended.text)
  const { steps } = (await client.get(`/v1/traces/${everything}`)).json<Trace>()
  const about = { trace_id: everything, step_id: steps[1]?.id }
  const at = '2026-02-01T00:00:00.001Z'
  await post(client, '/v1/metrics/events', { name: 'score', value: 0.1, ...about, idempotency_key: '3', at })
  await post(client, '/v1/metrics/events', { name: 'good', passed: false, trace_id: everything, source: 'human', at })
  await post(client, '/v1/metrics/events', {
    name: 'tone',
    value: 'curt',
    trace_id: everything,
    comment: 'why',
    metadata: { by: 'hand' },
  })
  await post(client, `/v1/traces/${everything}`, { flagged: false }, 'PATCH')
  await post(client, '/v1/traces', { name: 'empty' })
  const marked = await post(client, '/v1/traces', { name: 'marked', steps: [{ name: 'a' }] })
  await post(client, `/v1/traces/${marked}`, { status: 'error', reason: 'made up' }, 'PATCH')
  const media = await upload(client, { trace_id: marked, kind: 'file' }, FILE)
  await post(client, '/v1/traces', { name: 'with a file', steps: [{ name: 'a', attachments: [{ uri: media.uri }] }] })
  const span = (id: number, parent: number, fields: object) => ({
    traceId: 'ab'.repeat(16),
    spanId: hex(id),
    ...(parent > 0 && { parentSpanId: hex(parent) }),
    startTimeUnixNano: `17699472000${id}0000000`,
    endTimeUnixNano: `17699472000${id}9000000`,
    ...fields,
  })
  const spans = [
    span(1, 0, { name: 'root', status: { code: 2 } }),
    span(2, 1, { name: 'chat', attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }] }),
    span(3, 1, { name: 'tool', status: { code: 2, message: 'refused' } }),
    span(4, 0, { name: 'second root' }),
  ]
  const sent = await client.postTrace({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'x' }, spans }] }] })
  assert.equal(sent.status, 200, sent.text)
  // Longer than a file of a megabyte.
  const metadata = { text: 'x'.repeat(400) }
  const many = Array.from({ length: LONG_STEPS }, (_, n) => ({ name: `step ${n}`, metadata }))
  const long = await post(client, '/v1/traces', { name: 'long', steps: many })
  await post(client, '/v1/metrics/events', { name: 'good', passed: true, trace_id: long, at })
  const scored = await post(client, '/v1/traces', { name: 'scored' })
  const events = Array.from({ length: MANY_EVENTS }, (_, n) => ({ name: 'score', value: n, trace_id: scored, at }))
  await post(client, '/v1/metrics/events', events)
  for (let n = 0; n < SHORT_TRACES; n++) {
    await post(client, '/v1/traces', { name: `run ${n}`, metadata: { n }, steps: [{ name: 'a' }, { name: 'b' }] })
  }
}
