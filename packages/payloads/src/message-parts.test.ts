import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf } from './message-parts.ts'

const URI = `media://proj_${'0'.repeat(26)}/${'a'.repeat(64)}`

test('text, tool calls of both forms and their results are recognised', () => {
  const openAi = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
  }
  assert.deepEqual(partsOf(openAi), [{ kind: 'tool-call', id: 'c1', name: 'f', input: { a: 1 } }])
  const broken = { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"a":' } }] }
  assert.deepEqual(partsOf(broken), [{ kind: 'tool-call', id: null, name: 'f', input: '{"a":' }])
  const content = [
    { type: 'text', text: 'hello' },
    { type: 'tool_use', id: 't', name: 'g', input: { b: 2 } },
    { type: 'tool_result', tool_use_id: 't', is_error: true, content: [{ type: 'text', text: 'no' }] },
  ]
  assert.deepEqual(partsOf({ role: 'user', content }), [
    { kind: 'text', text: 'hello' },
    { kind: 'tool-call', id: 't', name: 'g', input: { b: 2 } },
    { kind: 'tool-result', id: 't', name: null, failed: true, parts: [{ kind: 'text', text: 'no' }] },
  ])
})

test('calls and results in the forms of the conventions, of AI SDK and of OpenAI responses are recognised', () => {
  const call = { kind: 'tool-call', id: 'c1', name: 'f', input: { a: 1 } }
  for (const part of [
    { type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } },
    { type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":1}' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: { a: 1 } },
    { type: 'function_call', id: 'fc1', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
  ])
    assert.deepEqual(partsOf({ role: 'assistant', content: [part] }), [call])
  const calls = [
    { toolCallId: 'c1', toolName: 'f', args: { a: 1 } },
    { id: 'c1', name: 'f', arguments: '{"a":1}' },
  ]
  assert.deepEqual(partsOf({ role: 'assistant', tool_calls: calls }), [call, call])

  const returned = { kind: 'tool-result', id: 'c1', name: 'f', failed: false, parts: [{ kind: 'text', text: 'sun' }] }
  for (const part of [
    { type: 'tool_call_response', id: 'c1', name: 'f', response: 'sun' },
    { type: 'tool_call_response', id: 'c1', name: 'f', result: 'sun' },
    { type: 'tool-result', toolCallId: 'c1', toolName: 'f', output: { type: 'text', value: 'sun' } },
    { type: 'function_call_output', call_id: 'c1', name: 'f', output: 'sun' },
  ])
    assert.deepEqual(partsOf({ role: 'tool', content: [part] }), [returned])
  const failed = { type: 'tool-result', toolCallId: 'c1', toolName: 'f', output: { type: 'error-text', value: 'sun' } }
  assert.deepEqual(partsOf({ role: 'tool', content: [failed] }), [{ ...returned, failed: true }])
  const structured = { type: 'tool_call_response', id: 'c1', name: 'f', response: { sky: 'blue' } }
  assert.deepEqual(partsOf({ role: 'tool', content: [structured] }), [
    { ...returned, parts: [{ kind: 'json', title: 'Content', value: { sky: 'blue' } }] },
  ])
  assert.deepEqual(partsOf({ role: 'tool', content: [{ type: 'data', data: { a: 1, image: URI } }] }), [
    { kind: 'media', uri: URI },
    { kind: 'json', title: 'Data', value: { a: 1, image: URI } },
  ])
})

test('calls and results show what they have besides, and values that only look like another form', () => {
  const parts = (part: object) => partsOf({ role: 'tool', content: [part] })
  assert.deepEqual(parts({ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {}, invalid: true }), [
    { kind: 'tool-call', id: 'c', name: 'f', input: {} },
    { kind: 'others', value: { invalid: true } },
  ])
  assert.deepEqual(
    parts({ type: 'function_call', call_id: null, id: 'f1', name: 'f', arguments: null, input: { a: 1 } }),
    [{ kind: 'tool-call', id: 'f1', name: 'f', input: { a: 1 } }],
  )
  assert.deepEqual(parts({ type: 'tool_use', id: 't', name: 'f', input: { a: 1 }, function: {} }), [
    { kind: 'tool-call', id: 't', name: 'f', input: { a: 1 } },
  ])
  const result = (fields: object) => parts({ type: 'tool_call_response', id: 'c', ...fields })
  assert.deepEqual(result({ content: null, response: 'sun' }), [
    { kind: 'tool-result', id: 'c', name: null, failed: false, parts: [{ kind: 'text', text: 'sun' }] },
  ])
  assert.deepEqual(result({ response: null, error: 'timeout' }), [
    {
      kind: 'tool-result',
      id: 'c',
      name: null,
      failed: true,
      parts: [{ kind: 'others', value: { error: 'timeout' } }],
    },
  ])
  const measured = { type: 'error_rate', value: 0.2, window: '5m' }
  assert.deepEqual(result({ response: measured }), [
    {
      kind: 'tool-result',
      id: 'c',
      name: null,
      failed: false,
      parts: [{ kind: 'json', title: 'Content', value: measured }],
    },
  ])
  const denied = { type: 'execution-denied', reason: 'no' }
  assert.deepEqual(parts({ type: 'tool-result', toolCallId: 'c', toolName: 'f', output: denied }), [
    {
      kind: 'tool-result',
      id: 'c',
      name: 'f',
      failed: true,
      parts: [{ kind: 'json', title: 'Content', value: denied }],
    },
  ])
  for (const plain of [
    { type: 'function', name: 'parse', line: 12 },
    { type: 'document', meta: { mime_type: 'image/png', content: 'AAAA' }, text2: 'important' },
  ])
    assert.deepEqual(parts(plain), [{ kind: 'json', title: plain.type, value: plain }])
})

test('stored media and inline images are shown; other hosts are links, SVG and unknown parts JSON', () => {
  const kinds = (content: unknown[]) => partsOf({ role: 'user', content }).map(({ kind }) => kind)
  assert.deepEqual(
    kinds([
      { type: 'image_url', image_url: { url: URI } },
      { type: 'audio', uri: URI },
    ]),
    ['media', 'media'],
  )
  assert.deepEqual(
    kinds([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' },
    ]),
    ['image-data', 'image-data'],
  )
  assert.deepEqual(
    kinds([
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,AAAA' } },
      { type: 'new', x: 1 },
      7,
    ]),
    ['link', 'json', 'json', 'json'],
  )
})

test('no part of a message is left out', () => {
  assert.deepEqual(partsOf({ role: 'tool', content: null, tool_call_id: 'c1', refusal: null }), [
    { kind: 'others', value: { tool_call_id: 'c1' } },
  ])
  assert.deepEqual(partsOf({ role: 'x', content: { odd: 1 }, tool_calls: 'odd' }), [
    { kind: 'json', title: 'Content', value: { odd: 1 } },
    { kind: 'others', value: { tool_calls: 'odd' } },
  ])
})

test('reasoning with a content and a summary shows both', () => {
  const content = [{ type: 'reasoning', content: 'I add.', summary: [{ type: 'summary_text', text: 'Sums.' }] }]
  assert.deepEqual(partsOf({ role: 'assistant', content }), [{ kind: 'thinking', text: 'I add.\n\nSums.' }])
})

test('thinking is apart, in the forms of several models', () => {
  const thinking = { kind: 'thinking', text: 'hm' }
  const parts = [
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'x' }] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] },
    { role: 'assistant', content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }] },
    { role: 'assistant', content: null, reasoning_content: 'hm' },
  ].map((message) => partsOf(message))
  assert.deepEqual(parts, [[thinking], [thinking], [thinking], [thinking]])
})

test('a call that is written as text is a call; other JSON is text', () => {
  const parts = (text: string) => partsOf({ role: 'assistant', content: text })
  const call = { kind: 'tool-call', id: null, name: 'f' }
  assert.deepEqual(parts('{"tool_call":"f","arguments":"{\\"a\\":1}"}'), [{ ...call, input: { a: 1 } }])
  assert.deepEqual(parts('{"tool_call":"f","arguments":{"a":1}}'), [{ ...call, input: { a: 1 } }])
  assert.deepEqual(
    parts('{"tool_call":"f","arguments":{},"more":1}').map(({ kind }) => kind),
    ['text'],
  )
})
