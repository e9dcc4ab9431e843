import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundSuggestions } from './bound-values.ts'

test('a duration is a number with a unit, or a number in each unit', () => {
  const values = (typed: string) => boundSuggestions('min_duration_ms', typed).map(({ value, label }) => [value, label])
  assert.deepEqual(values('1.5 min'), [['90000', '1 min 30 s']])
  assert.deepEqual(values('250ms'), [['250', '250 ms']])
  assert.deepEqual(
    values(' 30 ').map(([, label]) => label),
    ['30.0 s', '30 ms', '30 min', '1 d 6 h'],
  )
  for (const typed of ['', 's', '-1', '2 weeks', '9007199254740993 h']) assert.deepEqual(values(typed), [], typed)
})

test('a cost is an amount in dollars', () => {
  const values = (typed: string) => boundSuggestions('min_cost_usd', typed).map(({ value, label }) => [value, label])
  assert.deepEqual(values('0.05'), [['0.05', '$0.05']])
  assert.deepEqual(values('$1.5k'), [['1500', '$1500']])
  assert.deepEqual(values('5 ct'), [])
})

test('a count may be grouped, or short for thousands and millions', () => {
  const values = (typed: string) => boundSuggestions('max_total_tokens', typed).map(({ value }) => value)
  assert.deepEqual(values('12,000'), ['12000'])
  assert.deepEqual(values('1.5k'), ['1500'])
  assert.deepEqual(values('2M'), ['2000000'])
  assert.deepEqual(values('2 s'), [])
})
