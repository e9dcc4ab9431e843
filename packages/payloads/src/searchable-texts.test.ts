import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchableTexts } from './searchable-texts.ts'

const textsOf = (...messages: object[]) => searchableTexts({ name: 'step', messages }).slice(1)

test('a step is found by its name, its error and its texts', () => {
  const error = { type: 'ToolError', message: 'no such booking' }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Cancel it' }, { type: 'media' }] }]
  assert.deepEqual(searchableTexts({ name: 'ask', messages, error }), [
    'ask',
    'ToolError',
    'no such booking',
    'Cancel it',
  ])
  assert.deepEqual(searchableTexts({ name: 'ask' }), ['ask'])
  assert.deepEqual(searchableTexts({ name: 'ask', messages: null, error: {} }), ['ask'])
})

test('arguments and results of tools are found in the forms of all senders, without their frames', () => {
  const calls = { role: 'assistant', tool_calls: [call('call_1', 'cancel', '{"booking":"EHGLN6"}')] }
  assert.deepEqual(textsOf(calls), ['cancel', '{"booking":"EHGLN6"}'])
  const use = { type: 'tool_use', id: 'toolu_1', name: 'cancel', input: { id: 'EHGLN6', type: 'full', seats: [3, 4] } }
  assert.deepEqual(textsOf({ role: 'assistant', content: [use] }), ['cancel', 'EHGLN6', 'full', '3', '4'])
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'done' }] }
  assert.deepEqual(textsOf({ role: 'user', content: [result] }), ['done'])
  assert.deepEqual(textsOf({ role: 'tool', tool_call_id: 'call_1', content: [{ type: 'data', data: { id: 7 } }] }), [
    '7',
  ])
  const response = { type: 'tool_call_response', id: 'c1', result: { fee: 12.5, ok: true, note: null } }
  assert.deepEqual(textsOf({ role: 'tool', content: [response] }), ['12.5'])
})

test('encoded bytes are left out, long texts are not', () => {
  const encoded = 'iVBORw0KGgo'.repeat(100)
  const words = 'a long answer '.repeat(100)
  const parts = [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${encoded}` } },
    { type: 'image', source: { data: encoded } },
    { type: 'image', uri: `media://proj_01h2xcejqtf2nbrexx3vqjhp41/${'a'.repeat(64)}` },
    { type: 'output', output: words },
  ]
  assert.deepEqual(textsOf({ role: 'user', content: parts }), [words])
})

function call(id: string, name: string, json: string): object {
  return { id, type: 'function', function: { name, arguments: json } }
}
