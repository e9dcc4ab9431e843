import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchangeOf } from './exchange.ts'

const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })

test('the input is the first text of a user, the output the last text of a model', () => {
  const steps = [
    {
      id: 'b',
      type: 'llm',
      messages: [said('user', 'and then?'), said('assistant', 'last'), { role: 'assistant', content: [] }],
    },
    { id: 'a', type: 'llm', messages: [said('system', 'be kind'), said('user', 'first'), said('assistant', 'hm')] },
    { id: 'c', type: 'tool', messages: [said('tool', 'done'), said('assistant', 'called with')] },
  ]
  assert.deepEqual(
    exchangeOf([1, 0, 2], (step) => steps[step]!),
    { input: { stepId: 'a', text: 'first' }, output: { stepId: 'b', text: 'last' } },
  )
  assert.deepEqual(
    exchangeOf([1, 0, 2], (step) => steps[step]!, [1]),
    { input: { stepId: 'a', text: 'first' }, output: { stepId: 'a', text: 'hm' } },
  )
  assert.deepEqual(
    exchangeOf([2], (step) => steps[step]!),
    { input: null, output: null },
  )
})
