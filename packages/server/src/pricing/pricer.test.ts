import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { pricedName, type OwnPrice } from '../ports/prices/price.ts'
import { createPricer, createRates } from './pricer.ts'
import { parsePriceList } from './price-list.ts'

const OWN = 'proj_own' as ProjectId
const OTHER = 'proj_other' as ProjectId
const TOKENS = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }

function price(input: number): ReadonlyMap<string, OwnPrice> {
  const model = 'house-model'
  return new Map([[model, { model, input, output: 0, cacheRead: null, cacheWrite: null, updatedAt: 1 }]])
}

test('prices are those of the project; the next pricer sees a change, an earlier one does not', async () => {
  const stored = new Map([[OWN, price(3)]])
  const pricer = createPricer({ own: async (projectId) => stored.get(projectId) ?? new Map() })
  const before = await pricer(OWN)
  assert.equal(before('house-model', TOKENS), 3)
  assert.equal(await pricer(OWN), before, 'kept as long as the prices stand')
  assert.equal((await pricer(OTHER))('house-model', TOKENS), null)
  stored.set(OWN, price(4))
  assert.deepEqual([(await pricer(OWN))('house-model', TOKENS), before('house-model', TOKENS)], [4, 3])
  stored.delete(OWN)
  assert.equal((await pricer(OWN))('house-model', TOKENS), null)
  assert.equal((await pricer(OWN))('gpt-4o-2024-08-06', TOKENS), 2.5)
})

test('more models and projects than are cached are priced all the same', async () => {
  const pricer = createPricer({ own: async () => price(3) })
  for (let i = 0; i < 300; i++) {
    const project = `proj_${i}` as ProjectId
    assert.equal((await pricer(project))('house-model', TOKENS), 3)
    assert.equal((await pricer(OWN))(`unknown ${i}`, TOKENS), null)
    assert.equal((await pricer(OWN))('house-model', TOKENS), 3)
  }
  assert.equal((await pricer(OWN))('x'.repeat(1000), TOKENS), null)
})

test('special rates of a model, else its list price; what the sender gave, for any model', async () => {
  const { of } = await createRates({ own: async () => price(3) })(OWN)
  const sent = { input: 0.001, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const [model, rate, input] of [
    ['gemini-2.5-pro', '', 1.25],
    ['gemini-2.5-pro', 'batch', 0.625],
    ['gemini-2.5-pro', '>200000', 2.5],
    ['gemini-2.5-pro', 'batch>200000', 1.25],
    // Committed with the limit of another list.
    ['gemini-2.5-pro', '>272000', 2.5],
    ['gemini-2.5-pro', '>100000', 1.25],
    ['gemini-2.5-pro', '1h', 1.25],
    ['vertex_ai/gemini-2.5-flash', 'audio', 1],
    ['gpt-image-1', 'image', 10],
    // It has no batch rates.
    ['gemini-1.5-pro', 'batch>128000', 2.5],
    ['gpt-4o', '>200000', 2.5],
    ['house-model', 'batch', 3],
    ['house-model', '>200000', 3],
    ['nobody', 'batch', undefined],
  ] as const) {
    assert.equal(of(pricedName(model, rate))?.input, input, `${model} ${rate}`)
  }
  assert.equal(of(pricedName('claude-sonnet-4-5', '1h'))?.cacheWrite, 6)
  for (const model of ['', 'nobody', 'gpt-4o', 'house-model']) assert.deepEqual(of(pricedName(model, 'sent')), sent)
})

test('another list has other prices, and another fingerprint', async () => {
  const text = JSON.stringify({ date: '2027-01-01', sources: [], models: { m: { list: [1, 2] } }, aliases: {} })
  const prices = { own: async () => new Map() }
  const rates = await createRates(prices, parsePriceList(text, 'f'))(OWN)
  assert.deepEqual([rates.of('m')?.input, rates.of('gpt-4o')], [1, null])
  assert.notEqual(rates.fingerprint, (await createRates(prices)(OWN)).fingerprint)
})
