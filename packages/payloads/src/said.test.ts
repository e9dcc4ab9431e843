import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstRequest, lastAnswer } from './said.ts'

const said = (role: string, ...texts: string[]) => ({ role, content: texts.map((text) => ({ type: 'text', text })) })

test('the request is the first text of a user, the answer the last of a model', () => {
  const messages = [
    said('system', 'be kind'),
    said('user', ' '),
    said('Human', 'first', 'and more '),
    said('assistant', 'hm'),
    said('user', 'then?'),
    { role: 'assistant', content: [{ type: 'output_text', text: 'last' }] },
    { role: 'assistant', content: [] },
    said('tool', 'done'),
  ]
  assert.equal(firstRequest(messages), 'first\n\nand more')
  assert.equal(lastAnswer(messages), 'last')
  assert.deepEqual([firstRequest([said('system', 'x')]), lastAnswer([said('user', 'x')])], [null, null])
})

test('messages of any shape are accepted; calls written as text are no answers', () => {
  for (const value of [
    undefined,
    null,
    7,
    'x',
    {},
    [null, 7, [], {}, { role: 7 }, { role: 'user', content: [null, 7, {}] }],
  ]) {
    assert.deepEqual([firstRequest(value), lastAnswer(value)], [null, null])
  }
  assert.equal(firstRequest([{ role: 'user', content: 'plain' }]), 'plain')
  assert.equal(firstRequest([{ role: 'user', content: ['a', { type: 'image', text: 'b' }] }]), 'a')
  const call = '{"tool_call": "search", "arguments": "{}"}'
  assert.equal(lastAnswer([said('assistant', 'before'), said('assistant', call)]), 'before')
  assert.equal(lastAnswer([said('assistant', 'a "tool_call" of {')]), 'a "tool_call" of {')
})
