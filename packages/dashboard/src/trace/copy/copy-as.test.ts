import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../conversation/turn.ts'
import { toMarkdown, toTestCase } from './copy-as.ts'

const RUN = { id: 'tr_1', name: 'book a flight' }
const source = (stepId: string) => ({ stepId, at: '2026-01-01T00:00:00.000Z' })
const said = (stepId: string, role: string, text: string): Turn => ({
  kind: 'message',
  ...source(stepId),
  role,
  parts: [
    { kind: 'thinking', text: 'hm' },
    { kind: 'text', text },
  ],
})
const TURNS: readonly Turn[] = [
  { kind: 'prompt', ...source('st_1'), text: 'Be brief.', previous: null },
  said('st_1', 'user', 'To Lisbon?'),
  said('st_1', 'assistant', 'I will look.'),
  {
    kind: 'tool',
    ...source('st_2'),
    name: 'search',
    input: { city: 'Lisbon' },
    result: [{ kind: 'text', text: '```3 flights```' }],
    failed: false,
    error: null,
  },
  said('st_3', 'ai', 'There are three.'),
  { kind: 'error', ...source('st_4'), step: 'pay', text: 'declined' },
]

test('a test case has the messages before the answer of a step, and that answer', () => {
  const { messages, answer, step_id: stepId } = toTestCase(RUN, TURNS, 'st_2')
  assert.equal(stepId, 'st_2')
  assert.deepEqual(messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'To Lisbon?' },
    { role: 'assistant', content: 'I will look.' },
  ])
  const call = { name: 'search', arguments: '{"city":"Lisbon"}' }
  assert.deepEqual(answer, [
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_3', type: 'function', function: call }] },
  ])
})

test('without a step in the conversation it goes up to the last answer; calls have their results', () => {
  for (const step of [null, 'st_9']) {
    const { messages, answer, step_id: stepId } = toTestCase(RUN, TURNS, step)
    assert.equal(stepId, null)
    assert.deepEqual(messages.at(-1), { role: 'tool', content: '```3 flights```', tool_call_id: 'call_3' })
    assert.deepEqual(answer, [{ role: 'assistant', content: 'There are three.' }])
  }
  assert.deepEqual(toTestCase(RUN, [], null), {
    name: RUN.name,
    trace_id: 'tr_1',
    step_id: null,
    messages: [],
    answer: [],
  })
})

test('Markdown has a section for each turn, and no text ends its fence', () => {
  const text = toMarkdown(RUN, TURNS)
  assert.match(text, /^# book a flight\n\nTrace tr_1\n\n## System\n\nBe brief\.\n\n## User\n/)
  assert.ok(text.includes('## Tool: search\n\n```\n{"city":"Lisbon"}\n```\n\n````\n```3 flights```\n````\n'))
  assert.ok(text.endsWith('## Error in pay\n\n```\ndeclined\n```\n'))
})
