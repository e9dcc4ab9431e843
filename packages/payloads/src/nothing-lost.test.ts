import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reader, readPayload, type Side } from './read-payload.ts'

const asked = [{ role: 'user', content: 'Hi' }]

const PAYLOADS: readonly (readonly [value: unknown, side?: Side, reader?: Reader])[] = [
  [{ question: 'What is in it?', image: 'https://a/b.png' }],
  [{ text: 'What is in it?', image: 'https://a/b.png' }],
  [{ toolUse: { name: 'search', input: {} }, other: 'more' }],
  [{ cachePoint: { type: 'default' }, other: 'more' }],
  [[{ image: 'https://a/b.png', price: 'high', name: 'Shoe' }], 'output', 'tool'],
  [{ text: 'answer', metadata: { kind: 'long' }, citations: ['page one'] }, 'output'],
  [[{ metadata: { source: 'here' }, text: 'The text' }], 'output'],
  [[{ candidates: [{ name: 'Bob' }] }], 'output'],
  [{ input: { messages: asked, user_id: 'somebody' } }],
  [{ args: [], kwargs: { messages: asked, model: 'small' } }],
  [[{ messages: asked, tools: ['search'] }]],
  [[{ messages: asked, state: 'open' }], 'output', 'tool'],
  ['id: 12\nname: Bob\ndata: {"x":1}\nstatus: open', 'output', 'tool'],
  ['data: {"a":1}\nTotal 5 rows', 'output', 'tool'],
]

/** All texts of a value, whatever is around them. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

for (const [value, side = 'input', reader = 'model'] of PAYLOADS) {
  test(`a payload that looks like a known form loses nothing: ${JSON.stringify(value)}`, () => {
    const { messages, rest } = readPayload(value, side, reader)
    const found = JSON.stringify([messages, rest])
    for (const text of textsOf(value)) assert.ok(found.includes(JSON.stringify(text)), `${text} is not in ${found}`)
  })
}

test('an answer that is JSON stays as the model wrote it', () => {
  for (const content of ['[]', '{}', '"quoted"', '{"a": 1}']) {
    const { messages } = readPayload({ role: 'assistant', content }, 'output', 'model')
    assert.deepEqual(messages, [{ role: 'assistant', content: [{ type: 'text', text: content }] }])
  }
})

test('cached tokens under the names of two providers are counted once', () => {
  const usage = {
    prompt_tokens: 110,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 100 },
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 0,
  }
  const read = readPayload({ choices: [{ message: { content: 'x' } }], usage }, 'output', 'model')
  assert.deepEqual(read.usage, { input: 110, output: 5, cacheRead: 100, cacheWrite: 0, reasoning: 0 })
})
