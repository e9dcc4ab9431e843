import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepPair } from '@spoor/contract/schemas/traces/trace-comparison'
import { divergenceWords } from './difference-words.ts'

const PAIR: StepPair = {
  kind: 'same',
  name: 'answer',
  left_step_id: null,
  right_step_id: null,
  left_position: 0,
  right_position: 0,
  differences: [],
  more_differences: 0,
  repeated_differences: 0,
}

test('The sentence names where the contents differ, not the figures', () => {
  const paths = ['/messages/1/content/0/text', '/token_usage/input', '/cost_usd', '/model']
  const changed: StepPair = { ...PAIR, kind: 'changed', differences: paths.map((path) => ({ path })) }
  assert.equal(divergenceWords([changed]), 'They differ at the first step: “answer” differs in message 2, model.')
  assert.equal(
    divergenceWords([PAIR, changed]),
    'The first step is the same. Then “answer” differs in message 2, model.',
  )
})
