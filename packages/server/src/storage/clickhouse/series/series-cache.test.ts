import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import type { MetricAggregates } from '../../../ports/metrics/metric-series.ts'
import type { SeriesPoint } from '../../../ports/metrics/series-point.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { SeriesCache, type SeriesRead } from './series-cache.ts'

type Point = SeriesPoint<MetricAggregates>

const METRIC: MetricId = idAt('met', 1)
const OTHER_METRIC: MetricId = idAt('met', 2)
const { buckets } = toBucketedSpan({ startTime: 0, endTime: 600_000, bucket: '1m' }, 0)

function query({ projectId = PROJECT, metricId = METRIC, runType = null as string | null } = {}) {
  const filters = { ...toTraceFilters('events', {}), runType, source: null, metadata: [] }
  return { projectId, metricId, kind: 'boolean' as const, options: [], buckets, filters, groupBy: null }
}

function points(bucket: number, count: number): readonly Point[] {
  return [{ at: bucket * 60_000, group: null, count, aggregates: { kind: 'boolean', passed: 0 } }]
}

function reading<T>(cache: SeriesCache, use: (read: SeriesRead<Point>) => T, of = query()): T {
  const read = cache.beginRead<Point>(of)
  const result = use(read)
  read.end()
  return result
}

function store(cache: SeriesCache, bucket: number, count: number, of = query()): void {
  reading(cache, (read) => read.store(bucket, points(bucket, count)), of)
}

function find(cache: SeriesCache, bucket: number, of = query()): number | 'none' | undefined {
  const found = reading(cache, (read) => read.find(bucket), of)
  return found?.length === 0 ? 'none' : found?.[0]?.count
}

function event(at: number, metricId = METRIC) {
  return { traces: [], metricEvents: [{ record: { metricId, at } }] }
}

function deletion(projectId: ProjectId) {
  return { traces: [{ projectId, createdAt: 0, deleted: true }], metricEvents: [] }
}

test('the same query finds a bucket, also an empty one, until a commit to it', () => {
  const cache = new SeriesCache()
  store(cache, 3, 7)
  store(cache, 4, 8)
  reading(cache, (read) => read.store(5, []))
  assert.deepEqual([find(cache, 3), find(cache, 4), find(cache, 5), find(cache, 6)], [7, 8, 'none', undefined])
  assert.equal(find(cache, 3, query({ runType: 'eval' })), undefined)
  cache.note(event(3 * 60_000 + 59_999))
  cache.note(event(4 * 60_000, OTHER_METRIC))
  assert.deepEqual([find(cache, 3), find(cache, 4), find(cache, 5)], [undefined, 8, 'none'])
})

test('a result is not cached if its bucket got a commit since the read began', () => {
  const cache = new SeriesCache()
  const [early, late] = [cache.beginRead<Point>(query()), cache.beginRead<Point>(query())]
  cache.note(event(180_000))
  const after = cache.beginRead<Point>(query())
  for (const read of [early, late]) {
    read.store(3, points(3, 1))
    read.store(4, points(4, 1))
    read.end()
  }
  assert.equal(after.find(3), undefined)
  assert.equal(after.find(4)?.[0]?.count, 1)
  after.store(3, points(3, 2))
  after.end()
  assert.equal(find(cache, 3), 2)
})

test('a deletion evicts its project, also what running reads have fetched before it', () => {
  const cache = new SeriesCache()
  store(cache, 3, 7)
  store(cache, 3, 9, query({ projectId: OTHER_PROJECT, metricId: OTHER_METRIC }))
  const read = cache.beginRead<Point>(query())
  cache.note({ traces: [{ projectId: PROJECT, createdAt: 180_000, deleted: false }], metricEvents: [] })
  assert.equal(find(cache, 3), 7)
  cache.note(deletion(PROJECT))
  read.store(4, points(4, 1))
  read.end()
  assert.deepEqual([find(cache, 3), find(cache, 4)], [undefined, undefined])
  assert.equal(find(cache, 3, query({ projectId: OTHER_PROJECT, metricId: OTHER_METRIC })), 9)
})

test('beyond the limit the least recently used query is evicted, and in the end everything', () => {
  const cache = new SeriesCache(25)
  for (const runType of ['a', 'b', 'c']) store(cache, 1, 1, query({ runType }))
  assert.equal(find(cache, 1, query({ runType: 'a' })), 1)
  for (let bucket = 2; bucket < 5; bucket++) store(cache, bucket, 1, query({ runType: 'c' }))
  assert.ok(cache.numbers <= 25, `${cache.numbers}`)
  assert.equal(find(cache, 1, query({ runType: 'b' })), undefined)
  assert.equal(find(cache, 1, query({ runType: 'a' })), 1)
  assert.equal(find(cache, 4, query({ runType: 'c' })), 1)
  for (let bucket = 0; bucket < 100; bucket++) {
    store(cache, bucket, 1, query({ runType: 'c' }))
    assert.ok(cache.numbers <= 25, `${cache.numbers}`)
  }
  reading(cache, (read) => read.forget(), query({ runType: 'c' }))
  cache.note(deletion(PROJECT))
  assert.equal(cache.numbers, 0)
})

test('of more than a hundred queries the least recently used is evicted', () => {
  const cache = new SeriesCache()
  for (let n = 0; n < 150; n++) store(cache, 1, 1, query({ runType: `${n}` }))
  assert.equal(find(cache, 1, query({ runType: '149' })), 1)
  assert.equal(find(cache, 1, query({ runType: '60' })), 1)
  assert.equal(find(cache, 1, query({ runType: '0' })), undefined)
  assert.equal(cache.numbers, 100 * 5, 'a read that stores nothing evicts nothing')
})
