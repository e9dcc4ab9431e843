import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bucketMsOf,
  bucketStart,
  bucketStarts,
  groupKey,
  groupLabel,
  toColumns,
  valuesOfKey,
  volumeOf,
  zoneOf,
} from './series-data.ts'

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

test('a group without a value differs from every text, and two fields are one key', () => {
  for (const group of [null, '', 'none', 'is:none', '(none)', '[1]', 'other'])
    assert.deepEqual(valuesOfKey(groupKey({ group })), [group])
  const key = groupKey({ group: 'a', subgroup: null })
  assert.deepEqual(valuesOfKey(key), ['a', null])
  assert.equal(groupLabel(key), 'a · (none)')
  assert.equal(groupKey({ group: null, other: true }), 'other')
})

test('empty buckets are included, and groups are in the order of the service', () => {
  const at = (hour: number) => `1970-01-01T0${hour}:00:00.000Z`
  const columns = toColumns({
    start_time: '1970-01-01T00:30:00.000Z',
    end_time: '1970-01-01T03:10:00.000Z',
    bucket: '1h',
    points: [
      { at: at(0), group: null, count: 2, value: 2 },
      { at: at(3), group: null, count: 1, value: 1 },
      { at: at(3), group: 'agent', count: 7, value: 7 },
      { at: at(1), group: null, other: true, count: 5, value: 5 },
    ],
    groups: [
      { group: 'agent', count: 7, value: 7 },
      { group: null, count: 3, value: 3 },
      { group: null, other: true, count: 5, value: 5 },
    ],
  })
  assert.deepEqual(columns.times, [0, HOUR, 2 * HOUR, 3 * HOUR])
  const shown = [...columns.groups, columns.other]
  assert.deepEqual(
    shown.map((group) => [group?.key, group?.total.value, group?.points.map((point) => point?.count ?? null)]),
    [
      ['is:agent', 7, [null, null, null, 7]],
      ['none', 3, [2, null, null, 1]],
      ['other', 5, [null, 5, null, null]],
    ],
  )
  assert.deepEqual(volumeOf(columns), [2, 5, 0, 8])
})

test('an empty range has all its buckets', () => {
  const span = { start_time: '1970-01-01T00:00:00.000Z', end_time: '1970-01-01T02:00:00.000Z' }
  assert.deepEqual(toColumns({ ...span, bucket: '1h', points: [], groups: [] }), {
    times: [0, HOUR],
    bucketMs: HOUR,
    groups: [],
    other: null,
  })
})
