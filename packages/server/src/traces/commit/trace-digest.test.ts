import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costOf } from '../../pricing/cost-of.ts'
import type { Pricer } from '../../ports/prices/price.ts'
import { costOfUsage, TraceCost } from '../../pricing/trace-cost.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TokenUsage } from '../../ports/traces/trace-record.ts'
import { idAt, preparedStep } from '../trace-builders.test-support.ts'
import { addSteps, NO_STEPS, NO_TOKENS, replaceStep } from './rollup.ts'
import { EMPTY_DIGEST, MOST_PRICED_MODELS, withStep } from './trace-digest.ts'

const RATES = {
  cheap: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: null },
  dear: { input: 15, output: 75, cacheRead: null, cacheWrite: 18 },
}
const price: Pricer = (model, tokens) => (model in RATES ? costOf(RATES[model as keyof typeof RATES], tokens) : null)

function step(fields: Partial<PreparedStep>, said: Partial<PreparedStep['said']> = {}): PreparedStep {
  return preparedStep({ ...fields, said: { input: null, output: null, error: null, errorType: null, ...said } })
}

function stored(prepared: PreparedStep, position: number): StepRecord {
  const { name, type, model, tokenUsage } = prepared
  const known = {
    id: idAt('st', position),
    position,
    name,
    type,
    model,
    status: 'ok',
    tokenUsage: tokenUsage ?? NO_TOKENS,
  }
  const unknown = { startedAt: null, endedAt: null, parentStepId: null, idempotencyKey: null }
  return { ...known, ...unknown, receivedAt: 0, parentInferred: false, body: '{}' } as StepRecord
}

test('by arrival: the first text of a user, the last answer that is not of a tool, the first error of a failed step', () => {
  const { digest } = addSteps(
    NO_STEPS,
    [
      step({ type: 'llm' }, { output: 'hello', error: 'it went on' }),
      step({ type: 'llm' }, { input: 'book it', output: 'which?' }),
      step({ type: 'llm', status: 'error' }, { input: 'the first', output: 'done', error: 'TimeoutError: late' }),
      step({ type: 'tool', status: 'error' }, { output: 'rows', error: 'another' }),
    ],
    null,
  )
  assert.deepEqual(digest, {
    input: { at: 1, text: 'book it' },
    output: { at: 2, text: 'done' },
    error: { at: 2, text: 'TimeoutError: late' },
    usage: [],
    errorTypes: [],
  })
})

test('types of errors are listed once each, whatever the status of their steps, and stay after a correction', () => {
  const failed = (errorType: string | null) => step({}, { errorType })
  const first = addSteps(NO_STEPS, [failed('A'), failed(null), failed('B'), failed('A')], null)
  assert.deepEqual(first.digest.errorTypes, ['A', 'B'])
  assert.deepEqual(replaceStep(first, stored(failed('B'), 2), failed('C')).digest.errorTypes, ['A', 'B', 'C'])
  const many = Array.from({ length: 120 }, (_, n) => failed(`E${n}`))
  assert.equal(addSteps(NO_STEPS, many, null).digest.errorTypes.length, 100)
})

test('a corrected step brings its new texts and tokens; a text that it had once stays', () => {
  const tokens = (input: number): TokenUsage => ({ ...NO_TOKENS, input })
  const first = step({ type: 'llm', model: 'cheap', tokenUsage: tokens(5) }, { input: 'a', output: 'b' })
  const second = step({ type: 'llm', model: 'cheap', tokenUsage: tokens(7) }, { output: 'c' })
  const before = addSteps(NO_STEPS, [first, second], null)
  const corrected = step({ type: 'llm', model: 'dear', tokenUsage: tokens(6) }, { input: 'A', output: 'B' })
  const after = replaceStep(before, stored(first, 0), corrected).digest
  assert.deepEqual(after, {
    input: { at: 0, text: 'A' },
    output: { at: 1, text: 'c' },
    error: null,
    usage: [
      { model: 'cheap', tokens: { input: 7, output: 0, cacheRead: 0, cacheWrite: 0 } },
      { model: 'dear', tokens: { input: 6, output: 0, cacheRead: 0, cacheWrite: 0 } },
    ],
    errorTypes: [],
  })
  const silent = replaceStep(before, stored(second, 1), step({ type: 'llm' })).digest
  assert.deepEqual(silent?.output, { at: 1, text: 'c' })
  assert.deepEqual(
    silent?.usage?.map((usage) => usage.tokens.input),
    [5],
  )
})

test('the cost in lists is the sum of the costs of the steps, also with odd cached tokens and after corrections', () => {
  const count = fc.nat(10_000)
  const usage = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count })
  const steps = fc.array(
    fc
      .record({
        model: fc.option(fc.constantFrom('cheap', 'dear', 'unpriced'), { nil: null }),
        tokenUsage: fc.option(fc.oneof(usage, fc.constant(NO_TOKENS)), { nil: null }),
      })
      .map((fields) => step(fields)),
    { minLength: 1 },
  )
  fc.assert(
    fc.property(steps, steps, fc.nat(), (all, [correction], chosen) => {
      const at = chosen % all.length
      const sum = replaceStep(addSteps(NO_STEPS, all, null), stored(all[at]!, at), correction!)
      const cost = new TraceCost(price)
      for (const { model, tokenUsage } of all.with(at, correction!))
        cost.add({ model, tokenUsage: tokenUsage ?? NO_TOKENS })
      const inList = costOfUsage(price, sum.digest!.usage)
      assert.equal(inList === null, cost.total === null)
      assert.ok(Math.abs((inList ?? 0) - (cost.total ?? 0)) < 1e-9)
    }),
  )
})

test('a trace of too many models has no cost', () => {
  const of = (n: number) => step({ model: `m${n}`, tokenUsage: { ...NO_TOKENS, input: 1 } })
  const most = Array.from({ length: MOST_PRICED_MODELS }, (_, n) => of(n))
  const full = addSteps(NO_STEPS, most, null)
  assert.equal(full.digest.usage?.length, MOST_PRICED_MODELS)
  assert.equal(addSteps(full, [of(0)], null).digest.usage?.length, MOST_PRICED_MODELS)
  assert.equal(addSteps(full, [of(MOST_PRICED_MODELS)], null).digest.usage, null)
  assert.equal(costOfUsage(price, null), null)
  assert.deepEqual(withStep(EMPTY_DIGEST, 0, of(0)).usage?.length, 1)
})
