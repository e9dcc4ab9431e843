import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf, type MessageText, type StepText } from './trace-text.ts'

function aStep(messages: readonly MessageText[], step: Partial<StepText> = {}): StepText {
  return {
    name: 'call model',
    type: 'llm',
    failed: false,
    errorType: null,
    errorMessage: null,
    tools: [],
    messages,
    ...step,
  }
}
const user = (...texts: string[]): MessageText => ({ role: 'user', texts })

test('the text has messages of users, not of systems, assistants and tools', () => {
  const others = ['system', 'developer', 'assistant', 'tool'].map((role) => ({ role, texts: [`from ${role}`] }))
  assert.deepEqual(textOf([aStep([...others, user('one', 'two')]), aStep([user('three')])]).asked, [
    'one\ntwo',
    'three',
  ])
})

test('a conversation that is sent again with every step counts once', () => {
  const steps = [
    aStep([user('one')]),
    aStep([user('one'), user('two')]),
    aStep([user('one'), user('two'), user('three')]),
  ]
  assert.deepEqual(textOf(steps).asked, ['one', 'two', 'three'])
})

test('the text has names and types of all steps, and the classes of errors', () => {
  const failed = aStep([], { name: 'search', type: 'tool', failed: true, errorType: 'TimeoutError' })
  assert.deepEqual(textOf([aStep([]), failed]).done, [
    'call model',
    'type:llm',
    'search',
    'type:tool',
    'error:TimeoutError',
  ])
})

test('calls of tools are work, once where a step of the tool follows', () => {
  const calls = aStep([], { tools: ['search', 'book'] })
  const search = aStep([], { name: 'tool', type: 'tool', tools: ['search'] })
  assert.deepEqual(textOf([calls, search]).done, ['call model', 'book', 'type:llm', 'search', 'type:tool'])
})

test('the request is what the project names, else what users say, else the name of the trace', () => {
  const steps = [aStep([user('context and question')])]
  assert.deepEqual(textOf(steps, { name: 'answer', input: 'question' }).asked, ['question'])
  assert.deepEqual(textOf(steps, { name: 'answer', input: null }).asked, ['context and question'])
  assert.deepEqual(textOf([], { name: 'refund order', input: null }), {
    asked: ['refund order'],
    done: ['refund order'],
  })
})

test('the text of a trace of any length is bounded', () => {
  const huge = aStep([user('x'.repeat(4 << 20)), user('y'.repeat(4 << 20)), user('z'.repeat(4 << 20)), user('late')])
  const { asked, done } = textOf(Array.from({ length: 5000 }, () => huge))
  assert.deepEqual(
    asked.map((text) => text.length),
    [8192, 8192],
  )
  assert.equal(done.length, 2000)
})
