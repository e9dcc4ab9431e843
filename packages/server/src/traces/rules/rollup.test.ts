import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { earliest, latest, NO_STEPS, NO_USAGE, totalTokens } from './rollup.ts'
import { added, preparedStep } from '../trace-builders.test-support.ts'

test('steps added one by one or all at once give the same sums', () => {
  const time = fc.option(fc.nat(1000))
  const step = fc
    .record({
      status: fc.option(fc.constantFrom('ok' as const, 'error' as const)),
      model: fc.option(fc.constantFrom('a', 'b', 'c')),
      tokenUsage: fc.option(fc.nat(9).map((input) => Object.assign({}, NO_USAGE, { input }))),
      startedAt: time,
      endedAt: time,
      body: fc.nat(20).map((length) => Buffer.alloc(length)),
    })
    .map((fields) => preparedStep(fields))
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const oneByOne = steps.reduce((sum, next) => added(sum, [next]), NO_STEPS)
      assert.deepEqual(oneByOne, added(NO_STEPS, steps))
      assert.equal(oneByOne.failedSteps, steps.filter(({ status }) => status === 'error').length)
    }),
  )
})

test('a trace lists its first 100 models', () => {
  const steps = Array.from({ length: 150 }, (_, index) => preparedStep({ model: `m${String(index).padStart(3, '0')}` }))
  const { models, stepCount } = added(NO_STEPS, steps)
  assert.deepEqual([models.length, models.at(-1), stepCount], [100, 'm099', 150])
})

test('an unknown time is ignored', () => {
  assert.deepEqual([earliest(null, 3), earliest(3, null), earliest(3, 2), earliest(null, null)], [3, 3, 2, null])
  assert.deepEqual([latest(null, 3), latest(3, null), latest(3, 2), latest(null, null)], [3, 3, 3, null])
})

test('token counts saturate at the greatest exact integer', () => {
  const most = Number.MAX_SAFE_INTEGER
  const tokenUsage = { ...NO_USAGE, input: most, output: 1 }
  const sum = added(NO_STEPS, [preparedStep({ tokenUsage }), preparedStep({ tokenUsage })])
  assert.deepEqual([sum.tokenUsage.input, sum.tokenUsage.output, totalTokens(sum.tokenUsage)], [most, 2, most])
})
