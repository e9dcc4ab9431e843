import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { createPricer } from './pricer.ts'
import { TraceCost } from './trace-cost.ts'

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const NOTHING_OWN = { own: async () => new Map() }

async function traceCost(): Promise<TraceCost> {
  return new TraceCost(await createPricer(NOTHING_OWN)('proj_1' as ProjectId))
}

test('calculated by hand: three calls of a model, one of another, a tool, an unknown model', async () => {
  const cost = await traceCost()
  const call = (model: string | null, tokens: Partial<typeof NO_TOKENS>) =>
    cost.add({ model, tokenUsage: { ...NO_TOKENS, ...tokens } })
  assert.equal(call('gpt-4o', { input: 1200, output: 80 }), 0.0038)
  assert.equal(call('gpt-4o', { input: 1500, output: 60, cacheRead: 1024 }), 0.00307)
  assert.equal(call(null, {}), null)
  assert.equal(call('gpt-4o-mini-2024-07-18', { input: 1000, output: 1000 }), 0.00075)
  assert.equal(call('house-model', { input: 10 }), null)
  assert.equal(call('other-model', { output: 1 }), null)
  assert.equal(call('house-model', { input: 10 }), null)
  assert.equal(call('silent-model', {}), null)
  assert.equal(call(null, { input: 99 }), null)
  assert.equal(Number(cost.total?.toFixed(10)), 0.00762)
  assert.deepEqual(cost.unpricedModels, ['house-model', 'other-model'])
})

test('nothing priced means no cost, and a price of zero is a cost', async () => {
  const cost = await traceCost()
  assert.deepEqual([cost.total, cost.unpricedModels], [null, []])
  cost.add({ model: 'unknown', tokenUsage: { ...NO_TOKENS, input: 5 } })
  assert.equal(cost.total, null)
  cost.add({ model: 'text-embedding-3-small', tokenUsage: { ...NO_TOKENS, output: 5 } })
  assert.equal(cost.total, 0)
})

test('up to a hundred unpriced models are named', async () => {
  const cost = await traceCost()
  for (let i = 0; i < 1000; i++) cost.add({ model: `unknown ${i}`, tokenUsage: { ...NO_TOKENS, input: 1 } })
  assert.equal(cost.unpricedModels.length, 100)
})
