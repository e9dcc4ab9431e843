import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BUILTIN_ALIASES, BUILTIN_PRICES, BUILTIN_PRICES_DATE } from './builtin-prices.ts'
import { allPrices, findPrice } from './find-price.ts'
import type { OwnPrice } from '../ports/prices/price.ts'

const NONE: ReadonlyMap<string, OwnPrice> = new Map()
const VENDOR_PREFIX = {
  openai: 'openai/',
  anthropic: 'anthropic/',
  google: 'models/',
  mistral: 'mistralai/',
  xai: 'x-ai/',
  groq: 'groq/',
} as const

const builtin = fc.constantFrom(...BUILTIN_PRICES)
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

function nameFound(model: string, prices = NONE): string | null {
  return findPrice(prices, model)?.model ?? null
}

test('the list is consistent: every model once, every rate a price, reading a cache not more expensive than fresh input', () => {
  assert.match(BUILTIN_PRICES_DATE, /^20\d\d-\d\d-\d\d$/)
  const models = BUILTIN_PRICES.map(({ model }) => model)
  assert.equal(new Set(models).size, models.length)
  for (const { model, input, output, cacheRead, cacheWrite } of BUILTIN_PRICES) {
    for (const rate of [input, output, cacheRead ?? 0, cacheWrite ?? 0]) assert.ok(rate >= 0 && rate <= 1000, model)
    assert.ok((cacheRead ?? input) <= input && (cacheWrite ?? input) >= input, model)
    assert.ok(output === 0 || output >= input, model)
  }
  for (const [alias, model] of Object.entries(BUILTIN_ALIASES)) {
    assert.ok(models.includes(model) && !models.includes(alias), alias)
  }
})

test('names as they occur in practice', () => {
  for (const [model, found] of [
    ['gpt-4o', 'gpt-4o'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['openai/gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['openai/gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
    ['gpt-4o-mini', 'gpt-4o-mini'],
    ['gpt-4o-mini-audio-preview', null],
    ['gpt-4o-audio-preview', null],
    ['gpt-4-0613', null],
    ['ft:gpt-4o-2024-08-06:us:x:1', null],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4@20250514', 'claude-sonnet-4'],
    ['anthropic/claude-3-5-sonnet-20241022', 'claude-3-5-sonnet'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet'],
    ['claude-sonnet-4-99999999', null],
    ['models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['gemini-2.5-flash-preview-05-20', null],
    ['anthropic/gpt-4o', null],
    ['azure/gpt-4o', null],
    ['openai/openai/gpt-4o', null],
    ['mistral-large-latest', null],
    ['GPT-4o', null],
    ['gpt-4o ', null],
    ['', null],
    ['/', null],
    ['constructor', null],
    ['__proto__', null],
  ] as const) {
    assert.equal(nameFound(model), found, model)
  }
})

test('a model of the list is found under its own name, dated, with the prefix of its vendor and with no other', () => {
  fc.assert(
    fc.property(builtin, fc.option(dateSuffix), ({ model, vendor }, suffix) => {
      const dated = model + (suffix ?? '')
      const expected = BUILTIN_PRICES.some((price) => price.model === dated) ? dated : model
      assert.equal(nameFound(dated), expected)
      for (const [other, prefix] of Object.entries(VENDOR_PREFIX)) {
        assert.equal(nameFound(prefix + dated), other === vendor ? expected : null, prefix + dated)
      }
    }),
  )
})

test('no model is mistaken for a related one: any other prefix or suffix makes it another name', () => {
  const listed = new Map([
    ...BUILTIN_PRICES.map(({ model }) => [model, model] as const),
    ...Object.entries(BUILTIN_ALIASES),
  ])
  const relatives = ['-mini', '-nano', '-pro', '-lite', '-latest', '-preview', ':free', '-v1:0', '-high', '-codex']
  const versions = ['-0613', '-2411', '-001', '-1', '.5', '-2024', '-202408', '-2024-08', '-2024-13-01', '-20240832']
  const extra = fc.oneof(
    fc.constantFrom(...relatives, ...versions),
    // No digits: it cannot be a date. No slash: it cannot be a vendor.
    fc.stringMatching(/^[-.:@a-z]{1,10}$/),
    fc.string({ minLength: 1, maxLength: 10 }).filter((text) => !/[0-9/]/.test(text)),
  )
  fc.assert(
    fc.property(builtin, extra, dateSuffix, ({ model }, added, suffix) => {
      for (const other of [model + added, added + model]) {
        const expected = listed.get(other) ?? null
        assert.equal(nameFound(other), expected, other)
        assert.equal(nameFound(other + suffix), listed.get(other + suffix) ?? expected, other + suffix)
      }
    }),
    { numRuns: 2000 },
  )
})

test('no two models of the list share a name, and none is a shorter name of another', () => {
  for (const { model } of BUILTIN_PRICES) assert.equal(nameFound(model), model)
})

test('a more exact name is found first, and under one name a price of the project before a builtin one', () => {
  const prices = own('gpt-4o', 'openai/gpt-4o-mini', 'claude-3-5-sonnet', 'house/model')
  assert.equal(findPrice(prices, 'gpt-4o')?.source, 'project')
  assert.equal(findPrice(prices, 'openai/gpt-4o-2024-08-06')?.source, 'project')
  assert.equal(findPrice(prices, 'gpt-4o-2024-05-13')?.source, 'builtin')
  assert.equal(findPrice(prices, 'gpt-4o-mini')?.source, 'builtin')
  assert.equal(findPrice(prices, 'openai/gpt-4o-mini-2024-07-18')?.model, 'openai/gpt-4o-mini')
  assert.equal(findPrice(prices, 'claude-3-5-sonnet-latest')?.source, 'project')
  assert.equal(findPrice(prices, 'house/model-2026-01-01')?.model, 'house/model')
  assert.equal(findPrice(prices, 'house/model-large'), null)
})

test('all prices: own ones replace built-in ones, each model once, in order', () => {
  const models = allPrices(own('gpt-4o', 'a first', 'ｚ last')).map(({ model }) => model)
  assert.equal(models.length, BUILTIN_PRICES.length + 2)
  assert.equal(new Set(models).size, models.length)
  assert.deepEqual(models, models.toSorted())
})
