import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MOST_PRICED_MODELS } from '../../ports/prices/bill.ts'
import type { Pricer } from '../../ports/prices/price.ts'
import { costOf } from '../../pricing/cost-of.ts'
import { costOfStep, costOfUsage } from '../../pricing/trace-cost.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import { added, preparedStep } from '../trace-builders.test-support.ts'
import { NO_STEPS, NO_USAGE } from './rollup.ts'
import { NO_CALLS_YET } from './run-calls.ts'
import { EMPTY_DIGEST, withStep } from './trace-digest.ts'

const RATES = {
  cheap: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: null },
  dear: { input: 15, output: 75, cacheRead: null, cacheWrite: 18 },
}
const price: Pricer = (model, tokens) => (model in RATES ? costOf(RATES[model as keyof typeof RATES], tokens) : null)

function step(fields: Partial<PreparedStep>, said: Partial<PreparedStep['said']> = {}): PreparedStep {
  return preparedStep({ ...fields, said: { input: null, output: null, error: null, errorType: null, ...said } })
}

const UNTIMED = { isRoot: false, time: null }

test('without times by arrival: the first text of a user, the last answer that is not of a tool, the first error', () => {
  const { digest } = added(NO_STEPS, [
    step({ type: 'llm' }, { output: 'hello', error: 'it went on' }),
    step({ type: 'llm' }, { input: 'book it', output: 'which?' }),
    step({ type: 'llm', status: 'error' }, { input: 'the first', output: 'done', error: 'TimeoutError: late' }),
    step({ type: 'tool', status: 'error' }, { output: 'rows', error: 'another' }),
  ])
  assert.deepEqual(digest, {
    input: { at: 1, text: 'book it', ...UNTIMED },
    output: { at: 2, text: 'done', ...UNTIMED },
    error: { at: 2, text: 'TimeoutError: late', ...UNTIMED },
    usage: [],
    nesting: 'none',
    failedAt: 0,
    answeredAt: null,
    errorTypes: [],
    calls: NO_CALLS_YET,
  })
})

test('previews are those of the root, else of the earliest and the latest step, in whatever order they come', () => {
  const spans = [
    step({ mayBeRoot: true, startedAt: 1, endedAt: 9 }, { input: 'the question', output: 'the answer' }),
    step({ parentStepId: 'st_a' as never, startedAt: 0, endedAt: 5 }, { input: 'sub question', output: 'a part' }),
    step({ parentStepId: 'st_a' as never, startedAt: 3, endedAt: 10 }, { input: 'late', output: 'after the end' }),
    step({ parentStepId: 'st_a' as never }, { input: 'untimed', output: 'untimed' }),
  ]
  const previews = (steps: readonly PreparedStep[]) => {
    const { input, output } = added(NO_STEPS, steps).digest
    return [input?.text, output?.text]
  }
  fc.assert(
    fc.property(fc.shuffledSubarray(spans, { minLength: 4 }), fc.nat(2), (all, at) => {
      assert.deepEqual(previews(all), ['the question', 'the answer'])
      const rootless = all.filter(({ mayBeRoot }) => mayBeRoot !== true)
      assert.deepEqual(previews(rootless), ['sub question', 'after the end'])
      const silent = step({ mayBeRoot: true, startedAt: 0, endedAt: 11 })
      assert.deepEqual(previews(rootless.toSpliced(at, 0, silent)), ['sub question', 'after the end'])
    }),
  )
})

test('types of errors are listed once each, whatever the status of their steps', () => {
  const failed = (errorType: string | null) => step({}, { errorType })
  const first = added(NO_STEPS, [failed('A'), failed(null), failed('B'), failed('A')])
  assert.deepEqual(first.digest.errorTypes, ['A', 'B'])
  assert.deepEqual(withStep(first.digest, 2, failed('C')).errorTypes, ['A', 'B', 'C'])
  const many = Array.from({ length: 120 }, (_, n) => failed(`E${n}`))
  assert.equal(added(NO_STEPS, many).digest.errorTypes.length, 100)
})

test('a corrected step brings its new texts; a text that it had once stays', () => {
  const first = withStep(EMPTY_DIGEST, 0, step({ type: 'llm' }, { input: 'a', output: 'b' }))
  const before = withStep(first, 1, step({ type: 'llm' }, { output: 'c' }))
  const after = withStep(before, 0, step({ type: 'llm' }, { input: 'A', output: 'B' }))
  assert.deepEqual([after.input?.text, after.output?.text], ['A', 'c'])
  assert.equal(withStep(before, 1, step({ type: 'llm' })).output?.text, 'c')
})

test('the cost in lists is the sum of the costs of the steps, also with odd cached tokens', () => {
  const count = fc.nat(10_000)
  const usage = fc.record({
    input: count,
    output: count,
    cacheRead: count,
    cacheWrite: count,
    reasoning: count,
    more: fc.constant(null),
  })
  const steps = fc.array(
    fc
      .record({
        model: fc.option(fc.constantFrom('cheap', 'dear', 'unpriced'), { nil: null }),
        tokenUsage: fc.option(fc.oneof(usage, fc.constant(NO_USAGE)), { nil: null }),
      })
      .map((fields) => step(fields)),
  )
  fc.assert(
    fc.property(steps, (all) => {
      const costs = all.map(
        ({ model, tokenUsage }) => costOfStep(price, () => null, { model, tokenUsage: tokenUsage ?? NO_USAGE }).usd,
      )
      const known = costs.filter((cost) => cost !== null)
      const inList = costOfUsage(price, added(NO_STEPS, all).digest.usage)
      assert.equal(inList === null, known.length === 0)
      assert.ok(Math.abs((inList ?? 0) - known.reduce((sum, cost) => sum + cost, 0)) < 1e-9)
    }),
  )
})

test('a trace of too many models has no cost', () => {
  const of = (n: number) => step({ model: `m${n}`, tokenUsage: { ...NO_USAGE, input: 1 } })
  const most = Array.from({ length: MOST_PRICED_MODELS }, (_, n) => of(n))
  const full = added(NO_STEPS, most)
  assert.equal(full.digest.usage?.length, MOST_PRICED_MODELS)
  assert.equal(added(full, [of(0)]).digest.usage?.length, MOST_PRICED_MODELS)
  assert.equal(added(full, [of(MOST_PRICED_MODELS)]).digest.usage, null)
  assert.equal(costOfUsage(price, null), null)
})
