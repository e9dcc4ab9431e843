import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { ConversationReader } from './conversation-turns.ts'

type Steps = Parameters<ConversationReader['read']>[0]

let made = 0
function step(messages: readonly MessageBody[], fields: Partial<Steps[number]> = {}): Steps[number] {
  const position = made++
  return {
    id: `st_${position}`,
    position,
    name: 'step',
    type: 'llm',
    status: 'ok',
    started_at: null,
    messages: [...messages],
    ...fields,
  }
}

const said = (role: string, text: string): MessageBody => ({ role, content: [{ type: 'text', text }] })
const user = (text: string) => said('user', text)
const assistant = (text: string) => said('assistant', text)
const call = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: '1', name: 'find', input: {} },
  ],
} as MessageBody
const result: MessageBody = { role: 'tool', content: [{ type: 'text', text: 'found' }] }

/** Each turn in one line. */
function read(...traces: readonly Steps[]): readonly string[] {
  const reader = new ConversationReader()
  return traces.flatMap((steps) =>
    reader.read(steps).map((turn) => {
      if (turn.kind === 'error') return `error: ${turn.step}: ${turn.text}`
      if (turn.kind === 'tools') return turn.title
      return `${turn.role}: ${turn.parts.map((part) => (part.kind === 'text' ? part.text : part.kind)).join(' ')}`
    }),
  )
}

test('steps that bring only what is new are read one after the other, also the same words again', () => {
  const steps = [
    step([said('system', 'Be kind.'), user('hi'), assistant('hello')]),
    step([user('yes'), assistant('first')]),
    step([user('yes'), assistant('second')]),
  ]
  const turns = ['user: hi', 'assistant: hello', 'user: yes', 'assistant: first', 'user: yes', 'assistant: second']
  assert.deepEqual(read(steps), turns)
})

test('what steps repeat is shown once, within a trace and across traces', () => {
  const first = [
    step([said('system', 'Be kind.'), user('hi'), call]),
    step([said('system', 'Be kind.'), user('hi'), call, result, assistant('here')]),
  ]
  const second = [step([user('hi'), call, result, assistant('here'), user('thanks'), assistant('welcome')])]
  const turns = ['user: hi', 'assistant: I look.', 'Calls find', 'Tool result', 'assistant: here']
  assert.deepEqual(read(first, second), [...turns, 'user: thanks', 'assistant: welcome'])
})

test('steps without the answer of the model repeat what was asked', () => {
  assert.deepEqual(read([step([user('hi')]), step([user('hi'), assistant('hello'), user('bye')])]), [
    'user: hi',
    'assistant: hello',
    'user: bye',
  ])
})

test('the same first words in another trace are said again', () => {
  assert.deepEqual(read([step([user('hi'), assistant('a')])], [step([user('hi'), assistant('b')])]), [
    'user: hi',
    'assistant: a',
    'user: hi',
    'assistant: b',
  ])
  assert.deepEqual(read([step([user('hi')])], [step([user('hi')])]), ['user: hi', 'user: hi'])
})

test('a conversation inside another one is read on its own', () => {
  const steps = [
    step([user('plan'), assistant('I ask.')]),
    step([user('task'), assistant('one')]),
    step([user('task'), assistant('one'), assistant('two')]),
    step([user('plan'), assistant('I ask.'), assistant('done')]),
  ]
  const turns = ['user: plan', 'assistant: I ask.', 'user: task', 'assistant: one', 'assistant: two', 'assistant: done']
  assert.deepEqual(read(steps), turns)
})

test('steps are in the order of their starts; a root repeats its children and is left out', () => {
  const root = step([user('hi'), assistant('hello')], { type: 'agent', started_at: '2026-01-01T00:00:00.000Z' })
  const later = step([user('hi'), assistant('hello')], { started_at: '2026-01-01T00:00:02.000Z' })
  const tool = step([said('tool', 'x')], { type: 'tool', name: 'find', started_at: '2026-01-01T00:00:01.000Z' })
  assert.deepEqual(read([later, tool, root]), ['find', 'user: hi', 'assistant: hello'])
  assert.deepEqual(read([root]), ['user: hi', 'assistant: hello'])
})

test('errors are shown where they happened', () => {
  const failed = { status: 'error' as const, error: { type: 'Timeout', message: 'too late' } }
  const steps = [step([user('hi')], failed), step([], { type: 'tool', name: 'find', status: 'error' })]
  assert.deepEqual(read(steps), ['user: hi', 'error: step: Timeout: too late', 'find', 'error: find: '])
})
