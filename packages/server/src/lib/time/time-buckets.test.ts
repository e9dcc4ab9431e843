import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketOf, bucketStart, spanBefore, toBucketedSpan } from './time-buckets.ts'

const NOW = Date.UTC(2026, 2, 4, 12, 34, 56, 789)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOTHING = { startTime: null, endTime: null, bucket: null }

test('by default: the last day in hours, including the current millisecond', () => {
  const { span, buckets } = toBucketedSpan(NOTHING, NOW)
  assert.deepEqual(span, { startTime: NOW + 1 - DAY, endTime: NOW + 1 })
  assert.equal(buckets.text, '1h')
})

test('with only a start: until now; with only an end: the day before it', () => {
  assert.equal(toBucketedSpan({ ...NOTHING, startTime: NOW - 5 }, NOW).span.endTime, NOW + 1)
  assert.equal(toBucketedSpan({ ...NOTHING, endTime: NOW }, NOW).span.startTime, NOW - DAY)
})

test('a longer span has at most 200 buckets by default', () => {
  const chosen = (days: number) => toBucketedSpan({ ...NOTHING, startTime: NOW + 1 - days * DAY }, NOW).buckets.text
  assert.deepEqual([1, 2, 9, 30, 90, 400, 5000, 20_000].map(chosen), ['1h', '1h', '2h', '6h', '12h', '2d', '4w', '15w'])
})

test('buckets are aligned to UTC, buckets of weeks to Mondays', () => {
  const start = (bucket: string) => {
    const { buckets } = toBucketedSpan({ startTime: NOW - 1000, endTime: NOW, bucket }, NOW)
    return new Date(bucketStart(buckets, bucketOf(buckets, NOW))).toISOString()
  }
  assert.equal(start('1m'), '2026-03-04T12:34:00.000Z')
  assert.equal(start('6h'), '2026-03-04T12:00:00.000Z')
  assert.equal(start('1d'), '2026-03-04T00:00:00.000Z')
  assert.equal(start('1w'), '2026-03-02T00:00:00.000Z')
})

test('every time is in its bucket', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: 1, max: 99 }),
      fc.constantFrom('s', 'm', 'h', 'd', 'w'),
      (time, count, unit) => {
        const { buckets } = toBucketedSpan({ startTime: time, endTime: time + 1, bucket: `${count}${unit}` }, 0)
        const start = bucketStart(buckets, bucketOf(buckets, time))
        assert.ok(start <= time && time < start + buckets.sizeMs)
      },
    ),
  )
})

test('more than ten thousand buckets are refused', () => {
  const span = (count: number) => ({ startTime: 0, endTime: count * 1000, bucket: '1s' })
  assert.equal(toBucketedSpan(span(10_000), 0).buckets.sizeMs, 1000)
  assert.throws(() => toBucketedSpan(span(10_001), 0), { code: 'validation_failed' })
})

const ZONES = ['America/Los_Angeles', 'Asia/Kathmandu', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/Santiago']

test('days and weeks of a zone begin at its midnights, also where the clocks change', () => {
  const starts = (zone: string, bucket: string, from: string, count: number) => {
    const startTime = Date.parse(from)
    const { buckets } = toBucketedSpan({ startTime, endTime: startTime + count * 8 * DAY, bucket, zone }, 0)
    const first = bucketOf(buckets, startTime)
    return Array.from({ length: count }, (_, at) =>
      new Date(bucketStart(buckets, first + at)).toISOString().slice(0, 16),
    )
  }
  assert.deepEqual(starts('America/Los_Angeles', '1d', '2026-03-08T05:00:00Z', 3), [
    '2026-03-07T08:00',
    '2026-03-08T08:00',
    '2026-03-09T07:00',
  ])
  assert.deepEqual(starts('Europe/Berlin', '1w', '2026-10-21T00:00:00Z', 2), ['2026-10-18T22:00', '2026-10-25T23:00'])
  assert.deepEqual(starts('Asia/Kathmandu', '1d', '2026-01-01T00:00:00Z', 1), ['2025-12-31T18:15'])
  // Midnight is skipped there.
  assert.deepEqual(starts('America/Santiago', '1d', '2026-09-06T05:00:00Z', 2), [
    '2026-09-06T04:00',
    '2026-09-07T03:00',
  ])
  assert.deepEqual(starts('America/Los_Angeles', '1h', '2026-03-08T05:30:00Z', 1), ['2026-03-08T05:00'])
  assert.throws(() => toBucketedSpan({ ...NOTHING, zone: 'Nowhere/City' }, NOW), { code: 'validation_failed' })
})

test('property: every time is in its bucket of a zone, and buckets follow each other', () => {
  const times = fc.integer({ min: 0, max: 4e12 })
  fc.assert(
    fc.property(times, fc.constantFrom(...ZONES), fc.constantFrom('1d', '2d', '1w'), (time, zone, bucket) => {
      const { buckets } = toBucketedSpan({ startTime: time, endTime: time + 400 * DAY, bucket, zone }, 0)
      for (let at = time; at < time + 400 * DAY; at += 13 * DAY + 1) {
        const number = bucketOf(buckets, at)
        assert.ok(bucketStart(buckets, number) <= at && at < bucketStart(buckets, number + 1))
        assert.equal(bucketOf(buckets, bucketStart(buckets, number)), number)
        assert.ok(number >= 0)
      }
    }),
  )
})

test('the time before is as long by the clocks, and its buckets have the same numbers', () => {
  const startTime = Date.parse('2026-03-08T08:00:00Z')
  const request = { ...NOTHING, startTime, bucket: '1d', zone: 'America/Los_Angeles' }
  // Two days, of which the first has 23 hours.
  const { span, buckets } = toBucketedSpan({ ...request, endTime: Date.parse('2026-03-10T07:00:00Z') }, NOW)
  const before = spanBefore(span, buckets)
  assert.deepEqual(before.span, { startTime: startTime - 2 * DAY, endTime: startTime })
  assert.equal(bucketOf(before.buckets, startTime - DAY), bucketOf(buckets, span.endTime - 1))

  const whole = toBucketedSpan({ ...NOTHING, startTime: 1000, endTime: 1700, bucket: 'all' }, NOW)
  assert.deepEqual(spanBefore(whole.span, whole.buckets).span, { startTime: 300, endTime: 1000 })
  // A whole number of buckets earlier.
  const cut = toBucketedSpan({ ...NOTHING, startTime: 60_500, endTime: 62_000, bucket: '1s' }, NOW)
  assert.deepEqual(spanBefore(cut.span, cut.buckets).span, { startTime: 58_500, endTime: 60_000 })
})
