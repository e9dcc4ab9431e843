import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FORMS } from './fixtures/forms.ts'
import { toText } from './json.ts'
import { readPayload } from './read-payload.ts'
import { stepSides } from './step-sides.ts'
import { type ToolCall, toolCalls } from './tool-calls.ts'

const text = (words: string) => ({ type: 'text', text: words })
const user = { role: 'user', content: [text('Where?')] }
const uses = (name: string, input: unknown) => ({
  role: 'assistant',
  content: [text('Wait.'), { type: 'tool_use', id: 'c', name, input }],
})
const result = { role: 'tool', content: [text('In Bern.')] }
const answer = { role: 'assistant', content: [text('It is in Bern.')] }
const printed = (calls: readonly ToolCall[]) => calls.map(({ name, input }) => [name, toText(input ?? '')])

const ofForms = FORMS.flatMap(({ fixtures }) => fixtures).filter(
  ({ side, reader = 'model', says }) => side === 'output' && reader === 'model' && says.at(-1)?.includes('[calls '),
)
test('the forms have calls', () => assert.ok(ofForms.length > 10))
for (const { form, by, payload, says } of ofForms) {
  test(`the calls of an answer: ${form} (${by})`, () => {
    const expected = [...says.at(-1)!.matchAll(/\[calls (\S+)[^\]]*\] ?(.*)/g)].map(([, name, input]) => [name, input])
    const found = printed(toolCalls('llm', 'answer', readPayload(payload, 'output', 'model').messages))
    assert.deepEqual(found.slice(-expected.length), expected)
  })
}

test('an answer has its own calls, not those of the history; a whole run has its own', () => {
  const calls = (type: string, ...messages: object[]) => printed(toolCalls(type, 'step', messages))
  const [first, second] = [uses('track', { parcel: 7 }), uses('ask', { city: 'Bern' })]
  assert.deepEqual(calls('llm', user, first, result, second), [['ask', '{"city":"Bern"}']])
  assert.deepEqual(calls('llm', user, first, result), [['track', '{"parcel":7}']])
  assert.deepEqual(calls('llm', user, first, result, answer), [])
  assert.deepEqual(calls('agent', user, first, result, second, result, answer), [
    ['track', '{"parcel":7}'],
    ['ask', '{"city":"Bern"}'],
  ])
  assert.deepEqual(calls('agent', first, user, answer), [])
})

test('calls of every form: parts, members, texts, and items without a role', () => {
  const openAi = { role: 'assistant', content: [], tool_calls: [{ function: { name: 'a', arguments: '{"n":1}' } }] }
  const bedrock = { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'b', input: { n: 2 } } }] }
  const gemini = { role: 'model', parts: [{ functionCall: { name: 'c', args: { n: 3 } } }] }
  const item = { type: 'function_call', call_id: 'c', name: 'd', arguments: '{"n":4}' }
  const written = { role: 'assistant', content: [text('{"tool_call": "e", "arguments": "{\\"n\\":5}"}')] }
  assert.deepEqual(printed(toolCalls('llm', 'x', [user, openAi, bedrock, gemini, item, written])), [
    ['a', '{"n":1}'],
    ['b', '{"n":2}'],
    ['c', '{"n":3}'],
    ['d', '{"n":4}'],
    ['e', '{"n":5}'],
  ])
})

test('a step of a tool is one call, by the name of the step if its messages have none', () => {
  const data = { role: 'assistant', content: [{ type: 'data', data: { parcel: 7 } }] }
  const json = { role: 'user', content: [text('{"parcel":7}')] }
  for (const message of [data, json, uses('track', { parcel: 7 })])
    assert.deepEqual(printed(toolCalls('tool', 'track', [message, result])), [['track', '{"parcel":7}']])
  assert.deepEqual(toolCalls('tool', 'track', [result]), [{ name: 'track', input: undefined }])
  for (const nothing of [undefined, null, 7, 'x', {}, [null, 7, [], { role: 7 }]])
    assert.deepEqual([toolCalls('llm', 'x', nothing), stepSides('llm', nothing).output], [[], null])
})

test('the sides of a step: what it was given last, and what it said last', () => {
  const first = uses('track', { parcel: 7 })
  assert.deepEqual(stepSides('llm', [user, first, result, answer]), { input: 'In Bern.', output: 'It is in Bern.' })
  assert.deepEqual(stepSides('llm', [user]), { input: 'Where?', output: null })
  assert.deepEqual(stepSides('llm', [user, first]), {
    input: 'Where?',
    output: 'Wait.\n[calls track c] {"parcel":7}',
  })
  const given = { role: 'assistant', content: [{ type: 'data', data: { parcel: 7 } }] }
  assert.deepEqual(stepSides('tool', [given, result]), { input: '{"parcel":7}', output: 'In Bern.' })
  assert.equal(stepSides('tool', [given]).output, null)
})
