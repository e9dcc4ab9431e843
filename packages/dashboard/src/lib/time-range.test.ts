import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundsOf, bucketFor, readTimeRangeSearch, toTimeRange, toTimeRangeSearch } from './time-range.ts'

test('a range round-trips through the URL, and invalid values are dropped', () => {
  for (const search of [
    { range: '24h' },
    { range: 'all' },
    { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  ] as const) {
    assert.deepEqual(toTimeRangeSearch(toTimeRange(readTimeRangeSearch(search), '1h')), search)
  }
  for (const nonsense of [
    { range: 'toString' },
    { range: 7 },
    { from: '2026-01-02', to: '2026-01-01' },
    { from: 'x', to: 'y' },
  ]) {
    assert.deepEqual(toTimeRange(readTimeRangeSearch(nonsense), '1h'), { kind: 'last', range: '1h' })
  }
})

test('ranges up to now are open at the end', () => {
  assert.deepEqual(boundsOf({ kind: 'last', range: '1h' }, 3_600_000), { from: 0, to: null })
  assert.deepEqual(boundsOf({ kind: 'all' }, 5), { from: null, to: null })
})

test('the bucket is the shortest with few enough buckets', () => {
  assert.equal(bucketFor(24 * 3_600_000, 150), '10m')
  assert.equal(bucketFor(15 * 60_000, 200), '5s')
  assert.equal(bucketFor(20 * 365 * 86_400_000, 100), '11w')
})
