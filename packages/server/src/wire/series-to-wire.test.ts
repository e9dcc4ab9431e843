import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toMetricSeries } from './series-to-wire.ts'

const SERIES = {
  span: { startTime: 0, endTime: 1 },
  buckets: { text: '1m', sizeMs: 60_000, originMs: 0 },
  groupsLeftOut: 0,
}

test('times of points equal those of a Date, whatever the previous time', () => {
  const minute = fc.integer({ min: -1_000_000, max: 60_000_000 }).map((minutes) => minutes * 60_000)
  const near = fc.integer({ min: -3000, max: 3000 }).map((minutes) => Date.UTC(2028, 1, 29) + minutes * 60_000)
  const any = fc.integer({ min: 0, max: Date.UTC(9999, 0, 1) })
  fc.assert(
    fc.property(fc.array(fc.oneof(minute, near, any), { minLength: 1, maxLength: 20 }), (times) => {
      const points = times.map((at) => ({
        at,
        group: null,
        count: 1,
        aggregates: { kind: 'boolean' as const, passed: 1 },
      }))
      const written = toMetricSeries('m', { ...SERIES, points }).points
      assert.deepEqual(
        written,
        times.map((at) => ({ at: new Date(at).toISOString(), group: null, count: 1, pass_rate: 1 })),
      )
    }),
  )
})
