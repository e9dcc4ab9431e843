import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairShares } from './fair-shares.ts'

/** Takes one at a time until it is refused; returns the number taken. */
function takeAll(shares: FairShares, owner: string): number {
  let taken = 0
  while (shares.tryTake(owner, 1)) taken++
  return taken
}

test('one owner gets half, the next owners half of the rest', () => {
  const shares = new FairShares(96)
  assert.deepEqual([takeAll(shares, 'a'), takeAll(shares, 'b'), takeAll(shares, 'c')], [48, 24, 12])
  assert.equal(shares.used, 84)
})

test('owners that take and release converge to equal shares', () => {
  const shares = new FairShares(90)
  const held = { a: takeAll(shares, 'a'), b: 0 }
  for (let turn = 0; turn < 200; turn++) {
    const owner = turn % 2 === 0 ? 'a' : 'b'
    if (held[owner] > 0) {
      shares.release(owner, 1)
      held[owner]--
    }
    held[owner] += takeAll(shares, owner)
  }
  assert.deepEqual(held, { a: 30, b: 30 })
})

test('the first request of an owner may take everything that is free, at once or by growing', () => {
  const shares = new FairShares(100)
  assert.ok(shares.tryTake('a', 60))
  assert.ok(!shares.tryTake('a', 1))
  assert.ok(shares.tryTake('a', 40, 60))
  assert.ok(!shares.tryTake('b', 1))
  shares.release('a', 100)
  assert.equal(shares.used, 0)
})

test('throws if more is released than was taken', () => {
  const shares = new FairShares(10)
  assert.ok(shares.tryTake('a', 4))
  assert.throws(() => shares.release('a', 5))
  assert.throws(() => shares.release('b', 1))
})

test('whatever requests one owner holds, a quarter stays free for others if each is at most half', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 }), (amounts) => {
      const shares = new FairShares(100)
      for (const amount of amounts) shares.tryTake('a', amount)
      assert.ok(shares.used <= 75)
      assert.ok(shares.tryTake('b', 25))
    }),
  )
})
