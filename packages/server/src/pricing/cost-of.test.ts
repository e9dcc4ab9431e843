import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costOf } from './cost-of.ts'
import type { PricedTokens, TokenRates } from '../ports/prices/price.ts'

const rate = fc.double({ min: 0, max: 1_000_000, noNaN: true })
const rates: fc.Arbitrary<TokenRates> = fc.record({
  input: rate,
  output: rate,
  cacheRead: fc.option(rate),
  cacheWrite: fc.option(rate),
})
const count = fc.nat(Number.MAX_SAFE_INTEGER)
/** Whatever a client may send, consistent or not. */
const anyTokens: fc.Arbitrary<PricedTokens> = fc.record({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
})
/** Cached tokens are part of the input. */
const consistentTokens: fc.Arbitrary<PricedTokens> = fc
  .record({ fresh: fc.nat(1e9), output: fc.nat(1e9), cacheRead: fc.nat(1e9), cacheWrite: fc.nat(1e9) })
  .map(({ fresh, output, cacheRead, cacheWrite }) => ({
    input: fresh + cacheRead + cacheWrite,
    output,
    cacheRead,
    cacheWrite,
  }))

function assertClose(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`)
}

test('calculated by hand: 412 tokens in, 256 of them cached, 58 out', () => {
  const gpt4o = { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: null }
  // 156 · 2.50 + 256 · 1.25 + 58 · 10 = 390 + 320 + 580 = 1290 millionths of a dollar
  assert.equal(costOf(gpt4o, { input: 412, output: 58, cacheRead: 256, cacheWrite: 0 }), 0.00129)
})

test('calculated by hand: writing a cache costs more than reading it', () => {
  const sonnet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  // 100 · 3 + 2000 · 0.30 + 500 · 3.75 + 10 · 15 = 300 + 600 + 1875 + 150
  assertClose(costOf(sonnet, { input: 2600, output: 10, cacheRead: 2000, cacheWrite: 500 }), 0.002925)
})

test('nothing is ever negative or infinite, whatever was sent', () => {
  fc.assert(
    fc.property(rates, anyTokens, (given, tokens) => {
      const cost = costOf(given, tokens)
      assert.ok(cost >= 0 && Number.isFinite(cost))
    }),
  )
})

test('no token is billed twice: with one rate for all, a call costs each token once', () => {
  fc.assert(
    fc.property(rate, anyTokens, (one, tokens) => {
      const cost = costOf({ input: one, output: one, cacheRead: one, cacheWrite: one }, tokens)
      const { input, output, cacheRead, cacheWrite } = tokens
      assertClose(cost, ((Math.max(input, cacheRead + cacheWrite) + output) * one) / 1_000_000)
    }),
  )
})

test('cached tokens without a rate of their own cost the same as fresh ones', () => {
  fc.assert(
    fc.property(rates, consistentTokens, (given, tokens) => {
      const plain = { ...given, cacheRead: null, cacheWrite: null }
      assertClose(costOf(plain, tokens), costOf(plain, { ...tokens, cacheRead: 0, cacheWrite: 0 }))
    }),
  )
})

test('a cheaper cache never makes a call more expensive', () => {
  fc.assert(
    fc.property(rates, consistentTokens, fc.double({ min: 0, max: 1, noNaN: true }), (given, tokens, share) => {
      const cheaper = { ...given, cacheRead: (given.cacheRead ?? given.input) * share }
      assert.ok(costOf(cheaper, tokens) <= costOf(given, tokens) * (1 + 1e-12))
    }),
  )
})

test('the cost of calls together is the sum of their costs', () => {
  fc.assert(
    fc.property(rates, fc.array(consistentTokens, { maxLength: 20 }), (given, calls) => {
      const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const together = calls.reduce(
        (sum, call) => ({
          input: sum.input + call.input,
          output: sum.output + call.output,
          cacheRead: sum.cacheRead + call.cacheRead,
          cacheWrite: sum.cacheWrite + call.cacheWrite,
        }),
        none,
      )
      const summed = calls.reduce((sum, call) => sum + costOf(given, call), 0)
      assertClose(summed, costOf(given, together))
    }),
  )
})
