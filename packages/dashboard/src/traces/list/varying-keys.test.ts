import assert from 'node:assert/strict'
import { test } from 'node:test'
import { varyingKeys } from './varying-keys.ts'

test('keys with several values, or that some rows lack, are offered, the most frequent first', () => {
  const rows = [
    { metadata: { same: 1, some: 'x', task: 1, list: [1] } },
    { metadata: { same: 1, task: 2, list: [1] } },
    { metadata: { same: 1, task: 2, list: [1, 2] } },
  ]
  assert.deepEqual(varyingKeys(rows), ['task', 'list', 'some'])
  assert.deepEqual(varyingKeys([]), [])
  const wide = [0, 1].map((value) => ({
    metadata: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, value])),
  }))
  assert.equal(varyingKeys(wide).length, 20)
})
