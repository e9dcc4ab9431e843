import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt } from '../trace-builders.test-support.ts'
import { mergeCandidates } from './candidate-order.ts'

test('a version that both sources have is once in a list, with the key of the first', () => {
  const of = (id: number, version: number, key: number) => ({ id: idAt('tr', 1, id), version, key })
  const first = [of(1, 2, 50), of(2, 1, 40)]
  const second = [of(3, 1, 45), of(2, 1, 40), of(1, 1, 7), of(1, 2, -1)]
  const all = [of(1, 2, 50), of(3, 1, 45), of(2, 1, 40), of(1, 1, 7)]
  const merge = (order: 'asc' | 'desc', limit: number) =>
    mergeCandidates(first, second, { sort: 'cost_usd', order, limit })
  assert.deepEqual(merge('desc', 9), all)
  assert.deepEqual(merge('asc', 9), all.toReversed())
  assert.deepEqual(merge('desc', 2), all.slice(0, 2))
})
