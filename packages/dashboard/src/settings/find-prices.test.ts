import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Price } from '@spoor/contract/schemas/price'
import { findPrices, formatRate, readRate } from './find-prices.ts'

const price = (model: string, source: Price['source']) => ({ model, source }) as Price
const PRICES = [price('gpt-4o', 'builtin'), price('GPT-4o-mini', 'builtin'), price('own/gpt', 'project')]

test('prices are found by all words of their model, and by their source', () => {
  const found = (...how: [string, Parameters<typeof findPrices>[2]]) => findPrices(PRICES, ...how).map((p) => p.model)
  assert.deepEqual(found('mini gpt', 'all'), ['GPT-4o-mini'])
  assert.deepEqual(found('', 'project'), ['own/gpt'])
  assert.deepEqual(found('  ', 'all').length, 3)
})

test('rates are parsed leniently, and the service rejects invalid text', () => {
  assert.deepEqual([' 2.5 ', '$3', '', '0'].map(readRate), [2.5, 3, null, 0])
  assert.deepEqual(['two', '1e999', '-1'].map(readRate), ['two', '1e999', -1])
})

test('rates keep all their digits, at least two decimals', () => {
  assert.deepEqual([2.5, 0.075, 15, 0, 1e-7].map(formatRate), ['$2.50', '$0.075', '$15.00', '$0.00', '$1e-7'])
})
