import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firedTimes } from './monitor-words.ts'

const iso = (time: number) => new Date(time).toISOString()

test('a firing lasts until the next change, and the last one until now', () => {
  const changes = [
    { at: iso(2), group: null, to: 'fired' },
    { at: iso(5), group: null, to: 'normal' },
    { at: iso(9), group: null, to: 'fired' },
  ] as const
  const ofTwo = changes.map((change, at) => ({ ...change, group: at === 1 ? 'b' : 'a' }))
  assert.deepEqual(firedTimes(ofTwo.slice(0, 2), 20), [{ from: 2, to: 20 }])
  assert.deepEqual(firedTimes(changes, 20), [
    { from: 2, to: 5 },
    { from: 9, to: 20 },
  ])
  assert.deepEqual(firedTimes(changes.slice(0, 2), 20), [{ from: 2, to: 5 }])
  assert.deepEqual(firedTimes([], 20), [])
})
