import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import type { StepUsage } from '../ports/traces/trace-record.ts'
import { createPricer } from './pricer.ts'
import { costOfStep, costOfUsage, unpricedModels } from './trace-cost.ts'

const NONE: StepUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, more: null }
const NO_MORE = { cacheWriteHour: 0, audioInput: 0, audioOutput: 0, imageInput: 0, imageOutput: 0, isBatch: false }
const price = await createPricer({ own: async () => new Map() })('proj_1' as ProjectId)

test('calculated by hand: calls of several models, a tool, an unknown model, a cost that the sender gives', () => {
  const call = (model: string | null, tokens: Partial<StepUsage>) => {
    const { usd, source } = costOfStep(price, () => null, { model, tokenUsage: { ...NONE, ...tokens } })
    return [usd, source]
  }
  assert.deepEqual(call('gpt-4o', { input: 1200, output: 80 }), [0.0038, 'price'])
  assert.deepEqual(call('gpt-4o', { input: 1500, output: 60, cacheRead: 1024 }), [0.00307, 'price'])
  assert.deepEqual(call(null, {}), [null, null])
  assert.deepEqual(call('gpt-4o-mini-2024-07-18', { input: 1000, output: 1000 }), [0.00075, 'price'])
  assert.deepEqual(call('house-model', { input: 10 }), [null, null])
  assert.deepEqual(call('gpt-4o', {}), [null, null])
  assert.deepEqual(call(null, { input: 99 }), [null, null])
  assert.deepEqual(call('gpt-4o', { input: 9, more: { ...NO_MORE, sentCost: 12_300_000 } }), [0.0123, 'sender'])
  assert.deepEqual(call(null, { more: { ...NO_MORE, sentCost: 1 } }), [1e-9, 'sender'])
})

const tokens = { input: 5, output: 5, cacheRead: 0, cacheWrite: 0 }

test('nothing priced means no cost, and a price of zero is a cost', () => {
  assert.equal(costOfUsage(price, []), null)
  assert.equal(costOfUsage(price, [{ model: 'unknown', tokens }]), null)
  assert.equal(costOfUsage(price, [{ model: 'text-embedding-3-small', tokens: { ...tokens, input: 0 } }]), 0)
})

test('up to a hundred unpriced models are named, each once', () => {
  const usage = Array.from({ length: 1000 }, (_, n) => ({ model: `unknown ${n}`, tokens }))
  assert.equal(unpricedModels(price, usage).length, 100)
  const rates = ['m', 'm\nbatch', 'gpt-4o', 'other\nsent'].map((model) => ({ model, tokens }))
  assert.deepEqual(unpricedModels(price, rates), ['m'])
})
