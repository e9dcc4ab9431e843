import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketTimes } from './point-bounds.ts'

const HOUR = 3_600_000
const iso = (time: number) => new Date(time).toISOString()

test('a bucket is listed as a whole, unless the range cuts it', () => {
  const at = iso(HOUR)
  assert.deepEqual(bucketTimes(at, { kind: 'last', range: '24h' }, HOUR), { from: at, to: iso(2 * HOUR) })
  const between = { kind: 'between', from: iso(1.2 * HOUR), to: iso(1.5 * HOUR) } as const
  assert.deepEqual(bucketTimes(at, between, HOUR), { from: iso(1.2 * HOUR), to: iso(1.5 * HOUR) })
})
