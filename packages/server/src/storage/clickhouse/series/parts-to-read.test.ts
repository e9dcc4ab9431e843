import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketOf, bucketStart, toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import { partsToRead } from './parts-to-read.ts'

const BEGIN = Date.UTC(2026, 1, 27, 22)
const MINUTE = 60_000

function minutes(count: number, known: (minute: number) => boolean, [later, earlier] = [0, 0]) {
  const times = { startTime: BEGIN + later, endTime: BEGIN + count * MINUTE - earlier, bucket: '1m' }
  const { span, buckets } = toBucketedSpan(times, 0)
  const parts = partsToRead(span, buckets, (bucket) => known(bucket - BEGIN / MINUTE))
  return parts.map((part) =>
    part.map(({ startTime, endTime }) => [(startTime - BEGIN) / MINUTE, (endTime - BEGIN) / MINUTE]),
  )
}

test('a few missing minutes are one part with a span for each gap, many are two halves', () => {
  assert.deepEqual(
    minutes(100, () => false),
    [[[0, 100]]],
  )
  assert.deepEqual(
    minutes(1440, () => false),
    [[[0, 720]], [[720, 1440]]],
  )
  assert.deepEqual(
    minutes(1440, (minute) => minute < 1439),
    [[[1439, 1440]]],
  )
  assert.deepEqual(
    minutes(1440, (minute) => ![0, 1, 700, 1439].includes(minute)),
    [
      [
        [0, 2],
        [700, 701],
        [1439, 1440],
      ],
    ],
  )
  assert.deepEqual(
    minutes(1440, () => true),
    [],
  )
})

test('many missing minutes with more known ones between them are one part, with fewer they are two halves', () => {
  const apart = (known: number) => minutes(1440, (minute) => minute >= 200 && minute < 200 + known)
  assert.deepEqual(apart(900), [
    [
      [0, 200],
      [1100, 1440],
    ],
  ])
  assert.deepEqual(apart(600), [[[0, 720]], [[720, 1440]]])
})

test('when there are more spans than a query accepts, those with the smallest gaps are joined', () => {
  const known = (minute: number) => minute % 10 !== 0 && minute !== 5
  const [part] = minutes(200, known)
  assert.equal(part?.length, 12)
  assert.deepEqual(part?.at(0)?.at(0), 0)
  assert.deepEqual(part?.at(-1)?.at(1), 191)
  assert.ok(!part?.some(([from, to]) => from === 5 && to === 6), 'minutes five apart are not joined')
})

test('the ends of halves that are not whole minutes are separate parts', () => {
  assert.deepEqual(
    minutes(1440, () => false, [15_000, 30_000]),
    [[[0.25, 1]], [[1, 720]], [[720, 1439]], [[1439, 1439.5]]],
  )
})

test('parts contain all missing buckets in order and share none', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 200_000 }),
      fc.integer({ min: 1, max: 20_000_000 }),
      fc.constantFrom('1m', '7m', '90s', '1h', '1d', '1w'),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
      (later, length, bucket, pattern) => {
        const times = { startTime: BEGIN + later, endTime: BEGIN + later + length, bucket }
        const { span, buckets } = toBucketedSpan(times, 0)
        const isKnown = (number: number) => pattern[number % pattern.length] === true
        const parts = partsToRead(span, buckets, isKnown)
        const covered = new Set<number>()
        let end = span.startTime
        for (const { startTime, endTime } of parts.flat()) {
          assert.ok(startTime >= end && startTime < endTime && endTime <= span.endTime)
          end = endTime
          for (let number = bucketOf(buckets, startTime); number <= bucketOf(buckets, endTime - 1); number++) {
            assert.ok(!covered.has(number))
            covered.add(number)
            assert.ok(startTime <= Math.max(span.startTime, bucketStart(buckets, number)))
            assert.ok(endTime >= Math.min(span.endTime, bucketStart(buckets, number + 1)))
          }
        }
        const [first, last] = [bucketOf(buckets, span.startTime), bucketOf(buckets, span.endTime - 1)]
        for (let number = first; number <= last; number++) assert.ok(isKnown(number) || covered.has(number))
      },
    ),
  )
})
