import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Lanes } from './lanes.ts'

test('owners take turns, and the items of one keep their order, whatever comes and goes between', () => {
  const owner = fc.constantFrom('a', 'b', 'c')
  const change = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), owner }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('next' as const) }),
    fc.record({ kind: fc.constant('drop' as const), owner }),
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const lanes = new Lanes<{ readonly owner: string; readonly number: number }>()
      let waiting: { readonly owner: string; readonly number: number }[] = []
      /** Owners that have items, the one whose turn is next first. */
      let turns: string[] = []
      for (const [number, one] of changes.entries()) {
        if (one.kind === 'add') {
          const item = { owner: one.owner, number }
          lanes.add(one.owner, item)
          waiting.push(item)
          if (!turns.includes(one.owner)) turns.push(one.owner)
        } else if (one.kind === 'remove' && waiting.length > 0) {
          const item = waiting[one.at % waiting.length]!
          lanes.remove(item.owner, item)
          waiting = waiting.filter((other) => other !== item)
        } else if (one.kind === 'drop' && lanes.lengthOf(one.owner) > 1) {
          const first = waiting.find((item) => item.owner === one.owner)
          lanes.dropFirst(one.owner)
          waiting = waiting.filter((item) => item !== first)
        } else if (one.kind === 'next') {
          const expected = waiting.find((item) => item.owner === turns[0])
          assert.equal(lanes.next(), expected)
          waiting = waiting.filter((item) => item !== expected)
          if (expected !== undefined) turns.push(turns.shift()!)
        }
        turns = turns.filter((name) => waiting.some((item) => item.owner === name))
        assert.equal(lanes.length, waiting.length)
        for (const name of ['a', 'b', 'c']) {
          assert.equal(lanes.lengthOf(name), waiting.filter((item) => item.owner === name).length)
        }
      }
      assert.equal(lanes.clear().length, waiting.length)
      assert.equal(lanes.next(), undefined)
    }),
  )
})
