import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createRecorder } from '../../index.ts'
import { ServiceStandIn } from '../service-stand-in.test-support.ts'

const service = await ServiceStandIn.start()
after(() => service[Symbol.asyncDispose]())
beforeEach(() => void (service.taken.length = 0))

const spoor = createRecorder({ url: service.url, apiKey: 'key', spoolDir: '' })
const USAGE = { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } }

/** Calls an API that answers this, and returns the text that the caller gets and what is recorded. */
async function call(path: string, body: object, answer: object | readonly (object | string)[], status = 200) {
  const isStream = Array.isArray(answer)
  const text = isStream
    ? answer.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
    : JSON.stringify(answer)
  const fetch = spoor.wrapFetch(async () => {
    const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' }
    return new Response(text, { status, headers })
  })
  const response = await fetch(`https://models.example/v1/${path}`, { method: 'POST', body: JSON.stringify(body) })
  assert.equal(await response.text(), text)
  assert.equal(response.status, status)
  await spoor.flush()
  const found = service.spans.find(({ attributes }) => attributes.some(({ key }) => key === 'spoor.step.type'))
  assert.ok(found !== undefined)
  const facts = Object.fromEntries(
    found.attributes.map(({ key, value }) => [key.replace('spoor.step.', ''), value.stringValue]),
  )
  const json = (name: string): unknown => (facts[name] === undefined ? undefined : JSON.parse(facts[name]))
  return {
    name: found.name,
    type: facts['type'],
    model: facts['model'],
    messages: json('messages'),
    usage: json('usage'),
    error: json('error'),
    metadata: json('metadata'),
  }
}

const hello = [{ role: 'user', content: 'hello' }]
const asked = { role: 'user', content: [{ type: 'text', text: 'hello' }] }
const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })

test('chat completions, whole', async () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const message = { role: 'assistant', content: 'hi' }
  const answer = { model: 'm-1', choices: [{ message, finish_reason: 'stop' }], usage: USAGE }
  assert.deepEqual(await call('chat/completions', { model: 'm', messages: hello, tools }, answer), {
    name: 'chat m',
    type: 'llm',
    model: 'm-1',
    messages: [asked, said('hi')],
    usage: { input: 10, output: 4, cache_read: 6 },
    error: undefined,
    metadata: { tools, finish_reason: 'stop' },
  })
})

test('chat completions, streamed, with a call of a tool', async () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    model: 'm-1',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const piece = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })
  const stream = [
    chunk({ role: 'assistant', content: 'h' }),
    chunk({ content: 'i' }),
    chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] }),
    piece('{"a"'),
    piece(':1}'),
    chunk({}, 'tool_calls'),
    { choices: [], usage: USAGE },
    '[DONE]',
  ]
  const { messages, usage, metadata } = await call(
    'chat/completions',
    { model: 'm', messages: hello, stream: true },
    stream,
  )
  const called = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]
  assert.deepEqual(messages, [asked, { ...said('hi'), tool_calls: called }])
  assert.deepEqual([usage, metadata], [{ input: 10, output: 4, cache_read: 6 }, { finish_reason: 'tool_calls' }])
})

test('responses, streamed', async () => {
  const part = { type: 'output_text', text: 'hi' }
  const output = [
    { type: 'message', role: 'assistant', content: [part] },
    { type: 'function_call', name: 'f' },
  ]
  const usage = { input_tokens: 7, output_tokens: 5, output_tokens_details: { reasoning_tokens: 2 } }
  const response = { model: 'm-1', status: 'completed', output, usage }
  const stream = [
    { type: 'response.created', response: {} },
    { type: 'response.completed', response },
  ]
  const recorded = await call('responses', { model: 'm', instructions: 'be kind', input: 'hello' }, stream)
  assert.deepEqual(recorded.usage, { input: 7, output: 5, reasoning: 2 })
  assert.deepEqual(recorded.messages, [
    { role: 'system', content: [{ type: 'text', text: 'be kind' }] },
    asked,
    { role: 'assistant', content: [part] },
    { role: 'assistant', content: [output[1]] },
  ])
})

test('messages, streamed, with thinking and a tool; the input includes what was cached', async () => {
  const delta = (index: number, one: object) => ({ type: 'content_block_delta', index, delta: one })
  const usage = { input_tokens: 3, cache_read_input_tokens: 20, cache_creation_input_tokens: 5, output_tokens: 1 }
  const stream = [
    { type: 'message_start', message: { model: 'c-1', role: 'assistant', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    delta(0, { type: 'thinking_delta', thinking: 'hm' }),
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
    delta(1, { type: 'input_json_delta', partial_json: '{"a":' }),
    delta(1, { type: 'input_json_delta', partial_json: '1}' }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  const recorded = await call('messages', { model: 'c', system: 'be kind', messages: hello }, stream)
  assert.deepEqual(recorded.usage, { input: 28, output: 9, cache_read: 20, cache_write: 5 })
  assert.deepEqual(recorded.model, 'c-1')
  assert.deepEqual((recorded.messages as object[]).at(-1), {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ],
  })
})

test('embeddings without their vectors', async () => {
  const answer = { model: 'e', data: [{ embedding: [0.5] }], usage: { prompt_tokens: 2 } }
  const recorded = await call('embeddings', { model: 'e', input: ['a', 'b'] }, answer)
  assert.deepEqual([recorded.type, recorded.usage], ['embedding', { input: 2, output: 0 }])
  assert.doesNotMatch(JSON.stringify(service.taken), /0\.5/)
})

test('errors of an API, of the network, and other requests', async () => {
  const refused = await call(
    'messages',
    { model: 'c', messages: hello },
    { error: { type: 'overloaded', message: 'later' } },
    529,
  )
  assert.deepEqual(refused.error, { type: 'overloaded', message: 'later' })
  service.taken.length = 0
  const error = new TypeError('fetch failed')
  const broken = spoor.wrapFetch(() => Promise.reject(error))
  await assert.rejects(broken('https://x.example/v1/messages', { method: 'POST', body: '{"messages":3}' }), error)
  await assert.rejects(broken('https://x.example/v1/other', { method: 'POST', body: '{}' }), error)
  await assert.rejects(broken('https://x.example/v1/messages', { method: 'POST', body: 'no JSON' }), error)
  assert.equal((await spoor.flush()).stored, 2)
})

test('a stream that is given up is given up at its source, and what was read is recorded', async () => {
  let cancelled = false
  const fetch = spoor.wrapFetch(async () => {
    const chunk = { choices: [{ index: 0, delta: { content: 'on ' } }] }
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`)),
      cancel: () => void (cancelled = true),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  await spoor.trace('run', async (trace) => {
    const request = new Request('https://x.example/v1/chat/completions', {
      method: 'POST',
      body: '{"model":"m","messages":[]}',
    })
    const { body } = await fetch(request)
    for await (const _ of body ?? []) break
    assert.ok(trace.traceId.length > 0)
  })
  await spoor.flush()
  assert.ok(cancelled)
  const { facts, parentSpanId } = service.span('chat m')
  assert.match(facts['spoor.step.messages'] ?? '', /"on "/)
  assert.equal(parentSpanId, service.span('run').spanId)
})
