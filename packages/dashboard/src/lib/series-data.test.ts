import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketMsOf, bucketStart, bucketStarts, rowsOf, toColumns, volumeOf, zoneOf } from './series-data.ts'

const HOUR = 3_600_000

test("buckets have the length and start of the service's buckets", () => {
  assert.deepEqual(['30s', '15m', '2w'].map(bucketMsOf), [30_000, 900_000, 1_209_600_000])
  assert.ok(Number.isNaN(bucketMsOf('1y')))
  const time = Date.parse('2026-11-22T01:26:29Z')
  assert.equal(new Date(bucketStart(time, '3h')).toISOString(), '2026-11-22T00:00:00.000Z')
})

test('days and weeks are those of the reader, also where the clocks change', (context) => {
  const zone = process.env['TZ']
  context.after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  process.env['TZ'] = 'America/Los_Angeles'
  const time = Date.parse('2026-11-22T01:26:29Z')
  assert.equal(new Date(bucketStart(time, '1d')).toISOString(), '2026-11-21T08:00:00.000Z', 'a midnight of the reader')
  assert.equal(new Date(bucketStart(time, '1w')).toISOString(), '2026-11-16T08:00:00.000Z', 'a Monday')
  const days = bucketStarts(Date.parse('2026-03-07T20:00:00Z'), Date.parse('2026-03-09T20:00:00Z'), '1d')
  assert.deepEqual(
    days.map((day) => new Date(day).toISOString()),
    ['2026-03-07T08:00:00.000Z', '2026-03-08T08:00:00.000Z', '2026-03-09T07:00:00.000Z'],
  )
  assert.deepEqual([zoneOf('1d'), zoneOf('1h')], ['America/Los_Angeles', undefined])
})

test('empty buckets are included, and the largest group is first', () => {
  const columns = toColumns({
    start_time: '1970-01-01T00:30:00.000Z',
    end_time: '1970-01-01T03:10:00.000Z',
    bucket: '1h',
    points: [
      { at: '1970-01-01T00:00:00.000Z', group: null, count: 2 },
      { at: '1970-01-01T03:00:00.000Z', group: null, count: 1 },
      { at: '1970-01-01T03:00:00.000Z', group: 'agent', count: 7 },
    ],
  })
  assert.deepEqual(columns.times, [0, HOUR, 2 * HOUR, 3 * HOUR])
  assert.deepEqual(
    columns.groups.map(({ group, points }) => [group, rowsOf(points), points.map((point) => point?.count ?? null)]),
    [
      ['agent', 7, [null, null, null, 7]],
      [null, 3, [2, null, null, 1]],
    ],
  )
  assert.deepEqual(volumeOf(columns), [2, 0, 0, 8])
})

test('groups are ranked by the measure, and unnamed groups are apart', () => {
  const at = '1970-01-01T00:00:00.000Z'
  const columns = toColumns(
    {
      start_time: at,
      end_time: '1970-01-01T01:00:00.000Z',
      bucket: '1h',
      points: [
        { at, group: null, count: 1, sum: 2 },
        { at, group: 'cheap', count: 50, sum: 0 },
        { at, group: 'other', count: 1, sum: 3 },
        { at, group: 'dear', count: 1, sum: 9 },
        { at, group: null, other: true, count: 7, sum: 100 },
      ],
    },
    ({ sum = 0 }) => sum,
  )
  assert.deepEqual(
    columns.groups.map(({ group }) => group),
    ['dear', 'other', null, 'cheap'],
  )
  assert.deepEqual(
    columns.other?.map((point) => point?.sum),
    [100],
  )
  assert.deepEqual(volumeOf(columns), [60])
})

test('an empty range has all its buckets', () => {
  const span = { start_time: '1970-01-01T00:00:00.000Z', end_time: '1970-01-01T02:00:00.000Z' }
  assert.deepEqual(toColumns({ ...span, bucket: '1h', points: [] }), {
    times: [0, HOUR],
    bucketMs: HOUR,
    groups: [],
    other: null,
  })
})
