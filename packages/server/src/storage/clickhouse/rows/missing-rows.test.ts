import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { missingSteps, missingTraces } from './missing-rows.ts'

const bytesOf = (rows: readonly object[], space?: number) =>
  Buffer.concat(rows.map((row) => Buffer.from(`${JSON.stringify(row, null, space)}\n`)))

test('stored steps are left out, whatever white space and braces the rows contain', () => {
  const body = fc.jsonValue()
  const trace = fc.constantFrom('tr_a', 'tr_b')
  const step = fc.record({ trace_id: trace, position: fc.nat(5), ver: fc.nat(2), body, text: fc.string() })
  const place = fc.tuple(trace, fc.nat(5), fc.nat(2)).map(([id, at, version]) => `${id} ${at} ${version}`)
  const there = fc.uniqueArray(place)
  fc.assert(
    fc.property(fc.array(step), there, fc.constantFrom(undefined, 0, 2), (steps, known, space) => {
      // A client's bytes may contain line ends; the rest of the row does not.
      const rows = steps.map(({ body: value, ...row }) =>
        Buffer.from(`${JSON.stringify(row).slice(0, -1)},"body":${JSON.stringify({ value }, null, space)}}\n`),
      )
      const expected = rows.filter((_, index) => {
        const { trace_id, position, ver } = steps[index]!
        return !known.includes(`${trace_id} ${position} ${ver}`)
      })
      assert.deepEqual(missingSteps(Buffer.concat(rows), new Set(known)), Buffer.concat(expected))
    }),
  )
})

test('the latest version of each trace, unless it or a newer one is stored', () => {
  const rows = [
    { id: 'a', ver: 3 },
    { id: 'b', ver: 3 },
    { id: 'a', ver: 5 },
    { id: 'c', ver: 5 },
    { id: 'd', ver: 6 },
  ]
  const there = new Map([
    ['a', 4],
    ['b', 3],
    ['c', 9],
  ])
  assert.deepEqual(
    missingTraces(bytesOf(rows), there),
    bytesOf([
      { id: 'a', ver: 5 },
      { id: 'd', ver: 6 },
    ]),
  )
  assert.equal(missingTraces(Buffer.alloc(0), there).length, 0)
})

test('truncated rows are not accepted as complete', () => {
  assert.throws(() => missingSteps(Buffer.from('{"trace_id":"a"}\n{"trace'), new Set()), /line end/)
})
