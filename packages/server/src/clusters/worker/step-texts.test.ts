import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepRow } from '../../ports/clusters/cluster-traces.ts'
import { idAt } from '../../traces/trace-builders.test-support.ts'
import { fromExcerpt, toExcerpt } from './excerpt.ts'
import { packIds, unpackIds } from './pack-ids.ts'
import { stepTexts } from './step-texts.ts'

const [A, B] = [idAt('tr', 1), idAt('tr', 2)]

test('steps become texts, by trace and in order', () => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image' }, { text: 'there' }] },
    { role: 'tool' },
  ]
  const texts = stepTexts(
    [
      [A, 'plan', 'llm', 'ok', JSON.stringify({ messages }), ['call']],
      [B, 'call', 'tool', 'error', JSON.stringify({ error: { type: 'TimeoutError', message: 'x' } }), []],
      [A, 'end', 'chain', 'ok', '{}', []],
    ],
    null,
  )
  const of = (name: string, type: string) => ({
    name,
    type,
    failed: false,
    errorType: null,
    errorMessage: null,
    tools: [],
    messages: [],
  })
  assert.deepEqual(
    [...texts],
    [
      [
        A,
        [
          {
            ...of('plan', 'llm'),
            tools: ['call'],
            messages: [
              { role: 'user', texts: ['hi', 'there'] },
              { role: 'tool', texts: [] },
            ],
          },
          of('end', 'chain'),
        ],
      ],
      [B, [{ ...of('call', 'tool'), failed: true, errorType: 'TimeoutError', errorMessage: 'x' }]],
    ],
  )
})

test('content that violates the contract is ignored', () => {
  const odd = [
    '{"messages":7}',
    '{"messages":[null,1,{"role":5},{"content":[]},{"role":"user","content":"text"}]}',
    '{"messages":[{"role":"user","content":[null,{"text":5},{"text":"kept"}]}],"error":"text"}',
    '{"__proto__":{"messages":[{"role":"user"}]}}',
  ]
  const rows = odd.map((body): StepRow => [A, 's', 't', 'ok', body, []])
  assert.deepEqual(
    stepTexts(rows, null)
      .get(A)
      ?.map(({ messages }) => messages),
    [[], [{ role: 'user', texts: [] }], [{ role: 'user', texts: ['kept'] }], []],
  )
})

test('of a text that is JSON, the value at the path counts; other texts count whole', () => {
  const said = [
    '{"context": "long", "input": {"question": "where?"}}',
    '{"input": {"question": ["a", 2]}}',
    '{"input": {}}',
    '{broken',
    'and then?',
  ]
  const content = [...said.map((text) => ({ text })), { data: { input: { question: 'what?' } } }, { data: 7 }]
  const body = JSON.stringify({ messages: [{ role: 'user', content }] })
  const [step] = stepTexts([[A, 's', 'llm', 'ok', body, []]], ['input', 'question']).get(A)!
  assert.deepEqual(step!.messages[0]!.texts, ['where?', '["a",2]', '{"input": {}}', '{broken', 'and then?', 'what?'])
})

test('an excerpt is bounded, well-formed, and can be read back', () => {
  const text = { asked: ['a'.repeat(599), '😀 more', 'left out'], done: ['s', 's', 'type:llm'] }
  const excerpt = fromExcerpt(toExcerpt(text))
  assert.deepEqual(excerpt, { asked: ['a'.repeat(599), '\ufffd'], done: ['s', 'type:llm'] })
})

test('packed ids are unpacked to the same ids', () => {
  assert.deepEqual(unpackIds(packIds([A, B])), [A, B])
  assert.deepEqual(unpackIds(packIds([])), [])
})
