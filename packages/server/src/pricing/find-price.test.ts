import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { OwnPrice } from '../ports/prices/price.ts'
import { allPrices, contextLimits, priceFinder } from './find-price.ts'
import { BUILTIN_PRICES } from './price-list.ts'

const NONE: ReadonlyMap<string, OwnPrice> = new Map()
const builtinPrice = priceFinder(NONE)
const date = fc
  .record({
    year: fc.integer({ min: 2023, max: 2029 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 31 }),
  })
  .map(
    ({ year, month, day }) =>
      [year, month, day].map((part) => String(part).padStart(2, '0')) as [string, string, string],
  )
const dateSuffix = fc.oneof(
  date.map(([year, month, day]) => `-${year}-${month}-${day}`),
  date.map(([year, month, day]) => `-${year}${month}${day}`),
  date.map(([year, month, day]) => `@${year}${month}${day}`),
)

function own(...models: readonly string[]): ReadonlyMap<string, OwnPrice> {
  return new Map(
    models.map((model, index) => [
      model,
      { model, input: index + 1, output: 0, cacheRead: null, cacheWrite: null, updatedAt: 7 },
    ]),
  )
}

test('a model of the list is found under its own name and dated, unless the list has that snapshot', () => {
  fc.assert(
    fc.property(fc.constantFrom(...BUILTIN_PRICES.models), dateSuffix, ({ model }, suffix) => {
      assert.equal(builtinPrice(model)?.model, model)
      const dated = model + suffix
      assert.equal(builtinPrice(dated)?.model, BUILTIN_PRICES.byName.get(dated)?.model ?? model)
    }),
  )
})

test('any other suffix makes it another name', () => {
  const relatives = ['-mini', '-nano', '-pro', '-lite', '-preview', ':free', '-high', '-codex', '-v3', '-v2:0']
  const versions = ['-0613', '-2411', '-001', '.55', '-2024', '-202408', '-2024-08', '-2024-13-01', '-20240832']
  fc.assert(
    fc.property(
      fc.constantFrom(...BUILTIN_PRICES.models),
      fc.constantFrom(...relatives, ...versions),
      ({ model }, suffix) => {
        const other = model + suffix
        assert.equal(builtinPrice(other)?.model, BUILTIN_PRICES.byName.get(other)?.model, other)
      },
    ),
    { numRuns: 2000 },
  )
})

test('an own price wins under any spelling; the exact name is tried before others, a snapshot before its model', () => {
  const prices = own('gpt-4o', 'openai/gpt-4o-mini', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'house/model', 'M')
  const found = priceFinder(prices)
  for (const [model, name] of [
    ['gpt-4o', 'gpt-4o'],
    ['openai/gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-4o-2024-05-13', null],
    ['gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['azure/gpt-4o-mini-2024-07-18', 'openai/gpt-4o-mini'],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    // A price of a snapshot is not one of the model.
    ['claude-sonnet-4-5', null],
    ['house/model-2026-01-01', 'house/model'],
    ['openrouter/m', 'M'],
  ] as const) {
    const price = found(model)
    assert.deepEqual([price?.source, price?.model], name === null ? ['builtin', model] : ['project', name], model)
  }
  assert.equal(found('house/model-large'), null)
  for (const names of [
    ['openai/gpt-4o', 'gpt-4o', 'azure/gpt-4o'],
    ['gpt-4o', 'openai/gpt-4o', 'azure/gpt-4o'],
  ]) {
    const several = priceFinder(own(...names))
    for (const name of names) assert.equal(several(name)?.model, name)
    assert.equal(several('GPT-4o-2024-08-06')?.model, 'gpt-4o')
  }
  for (const names of [
    ['openai/gpt-4o', 'azure/gpt-4o'],
    ['azure/gpt-4o', 'openai/gpt-4o'],
  ]) {
    assert.equal(priceFinder(own(...names))('gpt-4o')?.model, 'azure/gpt-4o')
  }
  assert.equal(priceFinder(own('claude-sonnet-4'))('claude-sonnet-4-0')?.source, 'project')
})

test('the limit of a model is found by any spelling', () => {
  const contextLimit = contextLimits(BUILTIN_PRICES)
  assert.equal(contextLimit('vertex_ai/gemini-2.5-pro'), 200_000)
  assert.equal(contextLimit('us.anthropic.claude-haiku-5-5'), 100_000)
  assert.deepEqual([contextLimit('gpt-4o'), contextLimit('house-model'), contextLimit('')], [null, null, null])
})

test('all prices: own ones replace built-in ones, each model once, in order', () => {
  const models = allPrices(own('gpt-4o', 'a first', 'ｚ last')).map(({ model }) => model)
  assert.equal(models.length, BUILTIN_PRICES.models.length + 2)
  assert.equal(new Set(models).size, models.length)
  assert.deepEqual(models, models.toSorted())
})
