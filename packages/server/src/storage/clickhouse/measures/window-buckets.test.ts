import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketAt, bucketSizes, bucketsOfWindow } from './window-buckets.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

test('the buckets of a window are all of it, each once and in order, and few', () => {
  const seconds = (max: number) => fc.integer({ min: 15, max }).map((n) => n * 1000)
  const windows = fc.oneof(seconds(120), seconds(4000), seconds(30 * 86_400))
  const intervals = fc.constantFrom(800, 4000, 12_000, 24_000, 54_000)
  fc.assert(
    fc.property(windows, intervals, fc.nat(1e6), (windowMs, intervalMs, time) => {
      const until = Date.UTC(2026, 0, 1) + time * intervalMs
      const sizes = bucketSizes(windowMs, intervalMs)
      if (sizes === null) return
      const places = bucketsOfWindow(sizes, until - windowMs, until)
      let end = until - windowMs
      for (const { sizeMs, bucket } of places) {
        assert.equal(bucket * sizeMs, end)
        end += sizeMs
        assert.ok(sizeMs === sizes.shortMs || end <= until - sizeMs)
      }
      assert.equal(end, until)
      assert.ok(places.length <= 8192)
    }),
  )
})

test('windows of usual lengths have some hundred buckets', () => {
  for (const [windowMs, most] of [
    [15 * MINUTE, 30],
    [60 * MINUTE, 70],
    [DAY, 310],
    [30 * DAY, 1700],
  ] as const) {
    const until = Date.UTC(2026, 0, 1) - 12_000
    const { length } = bucketsOfWindow(bucketSizes(windowMs, 12_000)!, until - windowMs, until)
    assert.ok(length <= most, `${length} buckets`)
  }
})

test('a window with too many buckets has none', () => {
  assert.equal(bucketSizes(30 * DAY - 1, 12_000), null)
})

test('a bucket has its end and not its start', () => {
  assert.deepEqual(
    [1000, 1001, 2000, 2001].map((time) => bucketAt(1000, time)),
    [0, 1, 1, 2],
  )
})
