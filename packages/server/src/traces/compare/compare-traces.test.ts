import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { systemWorkTurns, WorkTurns } from '../../lib/flow/work-turns.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { compareTraces } from './compare-traces.ts'

type Sent = Omit<StepBody, 'messages'> & { readonly messages?: readonly Record<string, unknown>[] }

async function compare(left: readonly Sent[], right: readonly Sent[]) {
  const world = new TraceWorld()
  const { useCases } = world.service
  const commit = async (steps: readonly Sent[]) => {
    const body = Buffer.from(JSON.stringify({ name: 'run', steps }))
    return (await useCases.commit({ projectId: PROJECT, body, idempotencyKey: null })).id
  }
  const ids: { left: TraceId; right: TraceId } = { left: await commit(left), right: await commit(right) }
  const dependencies = { traces: useCases, work: new WorkTurns(systemWorkTurns) }
  const costOf = ({ tokenUsage }: { tokenUsage: { input: number } }) => tokenUsage.input / 100 || null
  const { pairs } = await compareTraces(dependencies, { projectId: PROJECT, ...ids, costOf })
  await world.service.close()
  return pairs
}

const said = (role: string, text: string) => ({ role, content: [{ type: 'text' as const, text }] })
const call = (id: string, input: object): Sent => ({
  name: 'search',
  type: 'tool',
  started_at: `2026-01-01T00:00:0${id.length}Z`,
  messages: [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'search', input }] },
    { role: 'tool', tool_call_id: id, content: [{ type: 'text', text: JSON.stringify({ found: 2 }) }] },
  ],
  metadata: { request_id: id, took: { latency_ms: id.length }, usage: { total: id.length }, index: 'main' },
})

test('ids, times and figures do not count, outside of arguments and results of calls', async () => {
  const [pair] = await compare([call('call_a', { id: 7 })], [call('call_bcd', { id: 7 })])
  assert.deepEqual([pair?.kind, pair?.differences], ['same', []])
  const [other] = await compare([call('call_a', { id: 7 })], [call('call_a', { id: 8 })])
  assert.deepEqual(other?.differences, [{ path: '/messages/0/content/0/input/id', left: 7, right: 8 }])
})

test('tokens and cost may differ between steps that did the same', async () => {
  const [pair] = await compare(
    [{ name: 'a', token_usage: { input: 100 } }],
    [{ name: 'a', token_usage: { input: 300, output: 2 } }],
  )
  assert.equal(pair?.kind, 'same')
  assert.deepEqual(pair?.differences, [
    { path: '/token_usage/input', left: 100, right: 300 },
    { path: '/token_usage/output', right: 2 },
    { path: '/cost_usd', left: 1, right: 3 },
  ])
})

test('differences name their place, also within text that is JSON', async () => {
  const step = (model: string, status: 'ok' | 'error', argument: object): Sent => ({
    name: 'llm',
    type: 'llm',
    model,
    status,
    messages: [
      said('user', 'go'),
      {
        role: 'assistant',
        content: [],
        tool_calls: [{ id: 'x', function: { name: 'f', arguments: JSON.stringify(argument) } }],
      },
    ],
    metadata: { 'a/b': model },
    ...(status === 'error' ? { error: { type: 'Timeout', message: 'late' } } : {}),
  })
  const [pair] = await compare(
    [step('one', 'ok', { cabin: 'economy', bags: [1, 2], big: 1 })],
    [step('two', 'error', { bags: [1, 3], cabin: 'business', big: 1 })],
  )
  assert.equal(pair?.kind, 'changed')
  const inCall = '/messages/1/tool_calls/0/function/arguments'
  assert.deepEqual(pair?.differences, [
    { path: '/status', left: 'ok', right: 'error' },
    { path: '/error', left: null, right: { message: 'late', type: 'Timeout' } },
    { path: '/model', left: 'one', right: 'two' },
    { path: '/metadata/a~1b', left: 'one', right: 'two' },
    { path: `${inCall}/bags/1`, left: 2, right: 3 },
    { path: `${inCall}/cabin`, left: 'economy', right: 'business' },
  ])
})

test('numbers that JavaScript cannot hold differ too', async () => {
  const [pair] = await compare(
    [{ name: 'a', messages: [said('tool', '{"order": 12345678901234567890}')] }],
    [{ name: 'a', messages: [said('tool', '{"order": 12345678901234567891}')] }],
  )
  assert.equal(pair?.kind, 'changed')
})

test('a message that was added is one difference, and is not listed again with each step that sends it', async () => {
  const turn = (...texts: readonly string[]): Sent => ({
    name: 'llm',
    type: 'llm',
    messages: texts.map((text, at) => said(at % 2 === 0 ? 'user' : 'assistant', text)),
  })
  const pairs = await compare(
    [turn('hello', 'hi there'), turn('hello', 'hi there', 'a room', 'done')],
    [turn('hello', 'good day'), turn('hello', 'good day', 'a room', 'sold out')],
  )
  const text = (message: number) => `/messages/${message}/content/0/text`
  assert.deepEqual(
    pairs.map(({ differences, repeated }) => [differences.map(({ path }) => path), repeated]),
    [
      [[text(1)], 0],
      [[text(3)], 1],
    ],
  )
  const step = (...messages: ReturnType<typeof said>[]): Sent => ({ name: 'llm', messages })
  const [asked, more, answered] = [said('user', 'a'), said('user', 'please'), said('assistant', 'b')]
  const [added] = await compare([step(asked, answered)], [step(asked, more, answered)])
  assert.deepEqual(added?.differences, [{ path: '/messages/1', right: more }])
})

test('what is listed is bounded, and the rest is counted', async () => {
  const long = (end: string) => `${'x'.repeat(50_000)} ${end} ${'y'.repeat(50_000)}`
  const [pair] = await compare(
    [
      {
        name: 'a',
        messages: [said('user', long('before'))],
        metadata: Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`k${at}`, 1])),
      },
    ],
    [{ name: 'a', messages: [said('user', long('after'))], metadata: {} }],
  )
  assert.deepEqual([pair?.differences.length, pair?.more], [50, 31])
  const [text] = (
    await compare(
      [{ name: 'a', messages: [said('user', long('before'))] }],
      [{ name: 'a', messages: [said('user', long('after'))] }],
    )
  )[0]!.differences
  assert.match(String(text?.left), /^…x{199} before y+…$/)
  assert.match(String(text?.right), /^…x{199} after y+…$/)
})

test('a tool with a general name is known by the tool that it runs', async () => {
  const run = (name: string): Sent => ({
    name: 'execute tool',
    type: 'tool',
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name, input: { q: name } }] }],
  })
  const pairs = await compare([run('search')], [run('book')])
  assert.deepEqual(
    pairs.map(({ kind }) => kind),
    ['only_left', 'only_right'],
  )
})

test('a run of more steps than can be compared is refused by name', async () => {
  const many = { stepCount: 10_001 }
  const traces = { read: async () => ({ trace: many, steps: [] }) as never }
  const query = { projectId: PROJECT, left: 'tr_1' as TraceId, right: 'tr_2' as TraceId, costOf: () => null }
  await assert.rejects(compareTraces({ traces, work: new WorkTurns(systemWorkTurns) }, query), {
    code: 'validation_failed',
    message: /left.*10001 steps; at most 10000/,
  })
})
