import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listedTimes } from './point-bounds.ts'

const HOUR = 3_600_000
const iso = (time: number) => new Date(time).toISOString()

test('without a bucket the whole range is listed', () => {
  assert.deepEqual(listedTimes(undefined, { kind: 'last', range: '1h' }, 60_000, HOUR), {
    start_time: iso(0),
    end_time: iso(HOUR),
  })
  assert.deepEqual(listedTimes(undefined, { kind: 'all' }, 60_000, HOUR), null)
})

test('a bucket is listed as a whole, unless the range cuts it', () => {
  const at = iso(HOUR)
  assert.deepEqual(listedTimes(at, { kind: 'last', range: '24h' }, HOUR, 1.5 * HOUR), {
    start_time: at,
    end_time: iso(2 * HOUR),
  })
  const between = { kind: 'between', from: iso(1.2 * HOUR), to: iso(1.5 * HOUR) } as const
  assert.deepEqual(listedTimes(at, between, HOUR, 9 * HOUR), {
    start_time: iso(1.2 * HOUR),
    end_time: iso(1.5 * HOUR),
  })
})
