import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { rangeHint, scoreChoices, toNumber } from './score-value.ts'

const metric = (fields: Partial<Metric>) =>
  ({ kind: 'boolean', min: null, max: null, unit: null, options: null, ...fields }) as Metric

test('the choices of a metric have digits, the first nine of them', () => {
  assert.deepEqual(scoreChoices(metric({})), [
    { key: '1', label: 'Passed', value: { passed: true } },
    { key: '2', label: 'Failed', value: { passed: false } },
  ])
  const options = Array.from({ length: 11 }, (_, at) => ({ value: `v${at}`, label: at === 0 ? 'First' : null }))
  const choices = scoreChoices(metric({ kind: 'enum', options }))
  assert.deepEqual(choices[0], { key: '1', label: 'First', value: { value: 'v0' } })
  assert.deepEqual(
    choices.slice(8).map(({ key, label }) => [key, label]),
    [
      ['9', 'v8'],
      [null, 'v9'],
      [null, 'v10'],
    ],
  )
  assert.deepEqual(scoreChoices(metric({ kind: 'numeric' })), [])
})

test('a number is typed with a point or a comma', () => {
  assert.deepEqual(['7', ' 0.5 ', '0,5', '-1e3', '', ' ', 'x', '1.2.3', 'Infinity'].map(toNumber), [
    7,
    0.5,
    0.5,
    -1000,
    null,
    null,
    null,
    null,
    null,
  ])
})

test('the hint says what may be typed', () => {
  const numeric = (fields: Partial<Metric>) => rangeHint(metric({ kind: 'numeric', ...fields }))
  assert.equal(numeric({ min: 0, max: 10, unit: 'points' }), '0 to 10 points')
  assert.equal(numeric({ min: 0 }), 'at least 0')
  assert.equal(numeric({ max: 1 }), 'at most 1')
  assert.equal(numeric({}), '')
})
