import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { BUILTIN_PRICES, parsePriceList } from './price-list.ts'

const LIST = { date: '2027-01-01', sources: ['https://vendor.example/pricing'], models: {}, aliases: {} }

test('the built-in list is consistent', () => {
  assert.match(BUILTIN_PRICES.date, /^20\d\d-\d\d-\d\d$/)
  for (const { model, rates, contextLimit } of BUILTIN_PRICES.models) {
    const list = rates.get('')
    assert.ok(list !== undefined && (list.output === 0 || list.output >= list.input), model)
    for (const [name, { input, output, cacheRead, cacheWrite }] of rates) {
      assert.ok(input <= 1000 && output <= 1000, model)
      assert.ok((cacheRead ?? input) <= input && (cacheWrite ?? input) >= input, `${model} ${name}`)
      if (name === 'batch') assert.ok(input <= list.input && output <= list.output, model)
      if (name === '1h') assert.ok((cacheWrite ?? 0) > (list.cacheWrite ?? 0) && output === list.output, model)
      if (name.startsWith('>')) assert.ok(input > list.input && output > list.output, model)
    }
    assert.ok(contextLimit === null || contextLimit >= 100_000, model)
  }
})

test('a list is read with its special rates and other names', () => {
  const models = { m: { list: [2, 8, 0.2, 2.5], batch: [1, 4], '>1000': [4, 8], 'batch>1000': [2, 4] } }
  const { date, byName } = parsePriceList(JSON.stringify({ ...LIST, models, aliases: { n: 'm' } }), 'f.json')
  const price = byName.get('n')
  assert.deepEqual([date, price?.model, price?.contextLimit], ['2027-01-01', 'm', 1000])
  assert.deepEqual(price?.rates.get(''), { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 })
  assert.deepEqual(price?.rates.get('batch>1000'), { input: 2, output: 4, cacheRead: null, cacheWrite: null })
})

test('the example of the guide is a list', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/prices.md', import.meta.url), 'utf8')
  const [, example = ''] = /```json\n([^]*?)```/.exec(guide) ?? []
  assert.equal(parsePriceList(example, 'the guide').byName.get('model-small')?.model, 'model-7b')
})

test('a list with a fault is refused with its place', () => {
  const model = (rates: object) => ({ ...LIST, models: { m: rates } })
  for (const [file, place] of [
    ['{"date": "2027-01-01",\n  x', /f\.json is no list of prices: .*line 2 column 3/],
    [[], /It must be an object/],
    [{ ...LIST, date: 'today' }, /\/date: /],
    [{ ...LIST, more: 1 }, /\/more: /],
    [{ date: '2027-01-01', models: {}, aliases: {} }, /\/sources: /],
    [model({}), /\/models\/m\/list: /],
    [model({ list: [1] }), /\/models\/m\/list: /],
    [model({ list: [1, 2, 3, 4, 5] }), /\/models\/m\/list: /],
    [model({ list: [1, '2'] }), /\/models\/m\/list\/1: /],
    [model({ list: [1, -2] }), /\/models\/m\/list\/1: /],
    [model({ list: [1, null] }), /\/models\/m\/list\/1: /],
    [model({ list: [1, 2], flex: [1, 2] }), /\/models\/m\/flex: /],
    [model({ list: [1, 2], '': [1, 2] }), /\/models\/m\/: /],
    [model({ list: [1, 2], '>0': [1, 2] }), /\/models\/m\/>0: /],
    [model({ list: [1, 2], '>5': [1, 2], '>6': [1, 2] }), /\/models\/m: /],
    [model({ list: [1, 2], '>5': [1, 2], 'batch>6': [1, 2] }), /\/models\/m: /],
    [{ ...LIST, models: { M: { list: [1, 2] } } }, /\/models\/M: /],
    [{ ...LIST, aliases: { n: 'm' } }, /\/aliases\/n: There is no model "m"/],
  ] as const) {
    const text = typeof file === 'string' ? file : JSON.stringify(file)
    assert.throws(() => parsePriceList(text, 'f.json'), { name: 'OperatorError', message: place }, text)
  }
})
