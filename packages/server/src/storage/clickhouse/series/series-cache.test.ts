import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import type { MetricAggregates, SeriesPoint } from '../../../ports/metrics/metric-series.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { SeriesCache, type SeriesLook } from './series-cache.ts'

const METRIC: MetricId = idAt('met', 1)
const OTHER_METRIC: MetricId = idAt('met', 2)
const { buckets } = toBucketedSpan({ startTime: 0, endTime: 600_000, bucket: '1m' }, 0)

function question({ projectId = PROJECT, metricId = METRIC, runType = null as string | null } = {}) {
  const filters = { runType, model: null, source: null, metadata: [] }
  return { projectId, metricId, kind: 'boolean' as const, options: [], buckets, filters, groupBy: null }
}

function points(bucket: number, count: number): readonly SeriesPoint<MetricAggregates>[] {
  return [{ at: bucket * 60_000, group: null, count, aggregates: { kind: 'boolean', passed: 0 } }]
}

function looking<T>(cache: SeriesCache, use: (look: SeriesLook) => T, asked = question()): T {
  const look = cache.look(asked)
  const result = use(look)
  look.end()
  return result
}

function keep(cache: SeriesCache, bucket: number, count: number, asked = question()): void {
  looking(cache, (look) => look.keep(bucket, points(bucket, count)), asked)
}

function find(cache: SeriesCache, bucket: number, asked = question()): number | 'none' | undefined {
  const found = looking(cache, (look) => look.find(bucket), asked)
  return found?.length === 0 ? 'none' : found?.[0]?.count
}

function event(at: number, metricId = METRIC) {
  return { traces: [], metricEvents: [{ record: { metricId, at } }] }
}

function deletion(projectId: ProjectId) {
  return { traces: [{ projectId, deleted: true }], metricEvents: [] }
}

test('a bucket is found by the same question, empty ones too, until something is committed to it', () => {
  const cache = new SeriesCache()
  keep(cache, 3, 7)
  keep(cache, 4, 8)
  looking(cache, (look) => look.keep(5, []))
  assert.deepEqual([find(cache, 3), find(cache, 4), find(cache, 5), find(cache, 6)], [7, 8, 'none', undefined])
  assert.equal(find(cache, 3, question({ runType: 'eval' })), undefined)
  cache.note(event(3 * 60_000 + 59_999))
  cache.note(event(4 * 60_000, OTHER_METRIC))
  assert.deepEqual([find(cache, 3), find(cache, 4), find(cache, 5)], [undefined, 8, 'none'])
})

test('what was read is not kept when something was committed to its bucket since the look began', () => {
  const cache = new SeriesCache()
  const [early, late] = [cache.look(question()), cache.look(question())]
  cache.note(event(180_000))
  const after = cache.look(question())
  for (const look of [early, late]) {
    look.keep(3, points(3, 1))
    look.keep(4, points(4, 1))
    look.end()
  }
  assert.equal(after.find(3), undefined)
  assert.equal(after.find(4)?.[0]?.count, 1)
  after.keep(3, points(3, 2))
  after.end()
  assert.equal(find(cache, 3), 2)
})

test('a deletion forgets its project, and what looks under way have read before it', () => {
  const cache = new SeriesCache()
  keep(cache, 3, 7)
  keep(cache, 3, 9, question({ projectId: OTHER_PROJECT, metricId: OTHER_METRIC }))
  const look = cache.look(question())
  cache.note({ traces: [{ projectId: PROJECT, deleted: false }], metricEvents: [] })
  assert.equal(find(cache, 3), 7)
  cache.note(deletion(PROJECT))
  look.keep(4, points(4, 1))
  look.end()
  assert.deepEqual([find(cache, 3), find(cache, 4)], [undefined, undefined])
  assert.equal(find(cache, 3, question({ projectId: OTHER_PROJECT, metricId: OTHER_METRIC })), 9)
})

test('of too much the question that was asked the longest ago is forgotten, and all is let go of in the end', () => {
  const cache = new SeriesCache(25)
  for (const runType of ['a', 'b', 'c']) keep(cache, 1, 1, question({ runType }))
  assert.equal(find(cache, 1, question({ runType: 'a' })), 1)
  for (let bucket = 2; bucket < 5; bucket++) keep(cache, bucket, 1, question({ runType: 'c' }))
  assert.ok(cache.numbers <= 25, `${cache.numbers}`)
  assert.equal(find(cache, 1, question({ runType: 'b' })), undefined)
  assert.equal(find(cache, 1, question({ runType: 'a' })), 1)
  assert.equal(find(cache, 4, question({ runType: 'c' })), 1)
  for (let bucket = 0; bucket < 100; bucket++) {
    keep(cache, bucket, 1, question({ runType: 'c' }))
    assert.ok(cache.numbers <= 25, `${cache.numbers}`)
  }
  looking(cache, (look) => look.forget(), question({ runType: 'c' }))
  cache.note(deletion(PROJECT))
  assert.equal(cache.numbers, 0)
})

test('of more than a hundred questions the one that was asked the longest ago is forgotten', () => {
  const cache = new SeriesCache()
  for (let n = 0; n < 150; n++) keep(cache, 1, 1, question({ runType: `${n}` }))
  assert.equal(find(cache, 1, question({ runType: '149' })), 1)
  assert.equal(find(cache, 1, question({ runType: '60' })), 1)
  assert.equal(find(cache, 1, question({ runType: '0' })), undefined)
  assert.equal(cache.numbers, 99 * 5)
})
