import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRandom } from '../partition/seeded-random.ts'
import { fisherGreater } from './fisher-exact.ts'
import { evidenceOfMoreFailures } from './sequential-rates.ts'
import { shareInterval } from './share-interval.ts'
import { shareDifferenceZ } from './two-proportions.ts'

const share = (hits: number, total: number) => ({ hits, total })
const close = (actual: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`)

test('z of two proportions: worked by hand', () => {
  // Pooled 0.5, standard error sqrt(0.25 × 2/100) = 0.0707107.
  close(shareDifferenceZ(share(40, 100), share(60, 100)), 2.8284271, 1e-6)
  close(shareDifferenceZ(share(60, 100), share(40, 100)), -2.8284271, 1e-6)
  // Pooled 0.075, standard error sqrt(0.075 × 0.925 × 2/1000) = 0.0117792.
  close(shareDifferenceZ(share(50, 1000), share(100, 1000)), 4.2447636, 1e-6)
})

test('z is 0 where there is nothing to compare', () => {
  for (const [first, second] of [
    [share(0, 0), share(3, 5)],
    [share(5, 5), share(9, 9)],
    [share(0, 5), share(0, 9)],
  ] as const) {
    assert.equal(shareDifferenceZ(first, second), 0)
  }
})

test("Fisher's tea: three of four cups identified correctly is 17/70, all four 1/70", () => {
  close(fisherGreater(share(3, 4), share(1, 4)), 17 / 70)
  close(fisherGreater(share(4, 4), share(0, 4)), 1 / 70)
  assert.equal(fisherGreater(share(0, 4), share(4, 4)), 1)
})

test('Fisher is the sum of hypergeometric probabilities, counted out', () => {
  const groups = fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12), fc.nat(12))
  fc.assert(
    fc.property(groups, ([firstHits, firstRest, secondHits, secondRest]) => {
      const [first, second] = [share(firstHits, firstHits + firstRest), share(secondHits, secondHits + secondRest)]
      const hits = firstHits + secondHits
      const ways = choose(first.total + second.total, hits)
      let expected = 0
      for (let value = firstHits; value <= hits; value++) {
        expected += (choose(first.total, value) * choose(second.total, hits - value)) / ways
      }
      close(fisherGreater(first, second), expected, 1e-9)
    }),
  )
})

test('groups of a hundred thousand stay finite and agree with z far from the tails', () => {
  // z = 2: 2.275 % on one side; the discrete test is a little more careful.
  const [first, second] = [share(10_268, 50_000), share(10_014, 50_000)]
  close(shareDifferenceZ(second, first), 2, 0.01)
  close(fisherGreater(first, second), 0.0228, 0.001)
  const sure = fisherGreater(share(50_000, 50_000), share(0, 50_000))
  assert.ok(sure >= 0 && sure < 1e-100)
})

function choose(total: number, picked: number): number {
  if (picked < 0 || picked > total) return 0
  let ways = 1
  for (let index = 1; index <= picked; index++) ways = (ways * (total - picked + index)) / index
  return ways
}

test("Wilson's interval: worked by hand, and within 0 and 1 for none and all", () => {
  const [low, high] = shareInterval(share(10, 50))
  close(low, 0.112437, 1e-5)
  close(high, 0.330372, 1e-5)
  assert.equal(shareInterval(share(0, 9))[0], 0)
  close(shareInterval(share(9, 9))[1], 1)
  assert.deepEqual(shareInterval(share(0, 0)), [0, 1])
})

test('evidence of more failures: the mean over all equally likely outcomes is 1 without a difference', () => {
  const outcomes = (count: number) =>
    Array.from({ length: 2 ** count }, (_, bits) => Array.from({ length: count }, (__, at) => ((bits >> at) & 1) === 1))
  const values = outcomes(4).flatMap((earlier) => outcomes(4).map((later) => evidenceOfMoreFailures(earlier, later)))
  close(values.reduce((sum, value) => sum + value, 0) / values.length, 1)
})

test('evidence of more failures: a later stream that is worse is found, and neither an equal nor a better one', () => {
  const random = createRandom(5)
  const stream = (rate: number, count: number) => Array.from({ length: count }, () => random() < rate)
  assert.ok(evidenceOfMoreFailures(stream(0.2, 600), stream(0.4, 600)) > 1e6)
  assert.ok(evidenceOfMoreFailures(stream(0.2, 600), stream(0.2, 600)) < 20)
  assert.ok(evidenceOfMoreFailures(stream(0.4, 600), stream(0.2, 600)) < 0.01)
  // A short later stream gains from a long earlier one.
  const [long, short] = [stream(0.1, 400), stream(0.5, 30)]
  assert.ok(evidenceOfMoreFailures(long, short) > 20)
  close(evidenceOfMoreFailures([], short), 1)
})
