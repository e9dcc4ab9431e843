import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULT_LIMITS, OWN_PRICES_MAX } from '@spoor/contract/limits'
import fc from 'fast-check'
import { BUILTIN_PRICES } from '../../pricing/price-list.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo, TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const FOREIGN = { ...OWN, 'x-api-key': 'foreign' }
const RATES = { input_usd_per_million: 2, output_usd_per_million: 8 }

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`prices over ${name}`, () => {
    async function prices() {
      const { app } = createHttpWorld()
      const send = await connect(app)
      return {
        send,
        put: (model: string, rates: object | string = RATES, headers: Record<string, string> = OWN) =>
          send({
            method: 'PUT',
            path: `/v1/prices/${encodeURIComponent(model)}`,
            headers,
            body: typeof rates === 'string' ? rates : JSON.stringify(rates),
          }),
        remove: (model: string, headers: Record<string, string> = OWN) =>
          send({ method: 'DELETE', path: `/v1/prices/${encodeURIComponent(model)}`, headers }),
        list: async (query = '', headers: Record<string, string> = OWN) =>
          (await send({ path: `/v1/prices?${query}`, headers })).json(),
      }
    }

    async function costOf(send: Awaited<ReturnType<typeof prices>>['send'], steps: readonly object[], headers = OWN) {
      const body = JSON.stringify({ name: 'run', steps })
      const { id } = (await send({ method: 'POST', path: '/v1/traces', headers, body })).json()
      const read = async (path: string) => (await send({ path, headers })).json()
      return { trace: () => read(`/v1/traces/${id}`), steps: () => read(`/v1/traces/${id}/steps`) }
    }

    test('a price is set, set again, shown instead of the built-in one, and removed', async () => {
      const { put, list, remove } = await prices()
      const builtin = (await list('model=gpt-4o')).prices
      assert.deepEqual(builtin, [
        {
          model: 'gpt-4o',
          input_usd_per_million: 2.5,
          output_usd_per_million: 10,
          cache_read_usd_per_million: 1.25,
          cache_write_usd_per_million: null,
          source: 'builtin',
          effective_date: BUILTIN_PRICES.date,
          updated_at: null,
          special_rates: [
            {
              applies_to: 'batch',
              above_input_tokens: null,
              input_usd_per_million: 1.25,
              output_usd_per_million: 5,
              cache_read_usd_per_million: null,
              cache_write_usd_per_million: null,
            },
          ],
        },
      ])
      const made = await put('gpt-4o')
      const expected = {
        model: 'gpt-4o',
        ...RATES,
        cache_read_usd_per_million: null,
        cache_write_usd_per_million: null,
        source: 'project',
        effective_date: null,
        updated_at: '2023-11-14T22:13:20.000Z',
      }
      assert.deepEqual([made.status, made.json()], [200, expected])
      const again = await put('gpt-4o')
      assert.deepEqual([again.status, again.json()], [200, expected])
      assert.deepEqual((await list('model=openai%2Fgpt-4o-2024-08-06')).prices, [expected])
      const changed = await put('gpt-4o', {
        ...RATES,
        cache_read_usd_per_million: 0,
        cache_write_usd_per_million: null,
      })
      assert.equal(changed.json().cache_read_usd_per_million, 0)
      const gone = await remove('gpt-4o')
      assert.deepEqual([gone.status, gone.text], [204, ''])
      assert.equal((await remove('gpt-4o')).status, 404)
      assert.deepEqual((await list('model=gpt-4o')).prices, builtin)
    })

    test('special rates say which tokens they are for', async () => {
      const { list } = await prices()
      const of = async (model: string) =>
        (await list(`model=${model}`)).prices[0].special_rates?.map(
          (rate: Record<string, unknown>) => `${rate['applies_to']} ${rate['above_input_tokens']}`,
        )
      assert.deepEqual(await of('claude-sonnet-4-5'), ['batch null', 'cache_1h null', 'all 200000', 'batch 200000'])
      assert.deepEqual(await of('gemini-2.5-flash'), ['batch null', 'audio null'])
      assert.deepEqual(await of('gpt-image-1'), ['image null'])
      assert.equal(await of('command-a'), undefined)
    })

    test('paging returns every price once, in order, including own prices', async () => {
      const { put, list } = await prices()
      for (const model of ['a/first', 'gpt-4o', 'zz last']) await put(model)
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await list(`limit=7${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
        assert.ok(page.prices.length <= 7)
        seen.push(...page.prices.map(({ model }: { model: string }) => model))
        cursor = page.next_cursor
      }
      assert.equal(seen.length, BUILTIN_PRICES.models.length + 2)
      assert.deepEqual(seen, [...new Set(seen)].toSorted())
      assert.equal((await list('cursor=%20')).code, 'invalid_cursor')
      assert.deepEqual(await list('model=nobody'), { prices: [], next_cursor: null })
    })

    test('any model name of a step can have a price, except with control characters', async () => {
      const { put, list, remove } = await prices()
      for (const model of ['a/b', 'a b', '%', '%2F', 'a?b#c', 'ü\u{1F600}', '語'.repeat(1000), 'x'.repeat(1000)]) {
        assert.equal((await put(model)).json().model, model)
        const { prices: found } = await list(`model=${encodeURIComponent(model)}`)
        assert.deepEqual([found.length, found[0]?.model], [1, model])
        assert.equal((await remove(model)).status, 204)
      }
      assert.deepEqual([(await put('a\nb')).status, (await put('\0')).json().code], [422, 'validation_failed'])
      for (const model of ['x'.repeat(1001), '語'.repeat(1001)]) {
        assert.deepEqual([(await put(model)).status < 500, (await remove(model)).status < 500], [true, true])
        assert.notEqual((await put(model)).status, 200)
      }
      assert.equal((await put('')).status, 404)
    })

    test('refuses an invalid price by name', async () => {
      const { put, list } = await prices()
      for (const [rates, pointer, code] of [
        [{ ...RATES, input_usd_per_million: -1 }, '/input_usd_per_million', 'out_of_range'],
        [{ ...RATES, input_usd_per_million: 1_000_001 }, '/input_usd_per_million', 'out_of_range'],
        [{ ...RATES, input_usd_per_million: '1' }, '/input_usd_per_million', 'wrong_type'],
        [{ ...RATES, input_usd_per_million: null }, '/input_usd_per_million', 'wrong_type'],
        [{ ...RATES, cache_read_usd_per_million: -0.1 }, '/cache_read_usd_per_million', 'out_of_range'],
        [{ ...RATES, cache_write_usd_per_million: true }, '/cache_write_usd_per_million', 'wrong_type'],
        [{ input_usd_per_million: 1 }, '/output_usd_per_million', 'required'],
        [{ ...RATES, cached: 1 }, '/cached', 'unknown_field'],
        ['{"input_usd_per_million":1e400,"output_usd_per_million":1}', '/input_usd_per_million', 'out_of_range'],
        [
          '{"input_usd_per_million":1,"input_usd_per_million":2,"output_usd_per_million":1}',
          '/input_usd_per_million',
          'duplicate_field',
        ],
      ] as const) {
        const refused = await put('m', rates)
        const { errors } = refused.json()
        assert.deepEqual([refused.status, errors[0].pointer], [422, pointer], refused.text)
        assert.equal(errors[0].code, code, refused.text)
      }
      assert.equal((await put('m', '{"input_usd_per_million":NaN,"output_usd_per_million":1}')).status, 400)
      assert.deepEqual((await list('model=m')).prices, [])
      const zero = await put('m', '{"input_usd_per_million":-0,"output_usd_per_million":-0.0}')
      assert.ok(zero.status === 200 && !zero.text.includes('-0'), zero.text)
    })

    test('each project has its own prices; read allows reading, manage allows setting', async () => {
      const { put, list, remove, send } = await prices()
      await put('house-model')
      assert.deepEqual((await list('model=house-model', FOREIGN)).prices, [])
      assert.equal((await remove('house-model', FOREIGN)).status, 404)
      await put('house-model', { ...RATES, input_usd_per_million: 4 }, FOREIGN)
      assert.equal((await list('model=house-model')).prices[0].input_usd_per_million, 2)
      const steps = [{ name: 's', model: 'house-model', token_usage: { input: 1_000_000 } }]
      assert.equal((await (await costOf(send, steps)).trace()).cost_usd, 2)
      assert.equal((await (await costOf(send, steps, FOREIGN)).trace()).cost_usd, 4)
      const reader = { ...OWN, 'x-api-key': 'reader' }
      assert.equal((await list('model=house-model', reader)).prices.length, 1)
      assert.deepEqual([(await put('m', RATES, reader)).status, (await remove('m', reader)).status], [403, 403])
      assert.equal((await send({ path: '/v1/prices', headers: { 'x-api-key': 'writer' } })).status, 403)
      assert.equal((await send({ path: '/v1/prices' })).status, 401)
    })

    test('a trace and its steps have their cost and unpriced models; a changed price applies at once, also to past traces', async () => {
      const { put, remove, send } = await prices()
      const { trace, steps } = await costOf(send, [
        { name: 'plan', model: 'gpt-4o-2024-08-06', token_usage: { input: 412, output: 58, cache_read: 256 } },
        { name: 'look up' },
        { name: 'answer', model: 'house-model', token_usage: { input: 1000, output: 10, reasoning: 10 } },
        { name: 'odd', model: 'gpt-4o-mini', token_usage: { input: 1, cache_read: 1000 } },
        { name: 'no tokens', model: 'gpt-4o' },
      ])
      const costs = ({ steps: all }: { steps: { cost_usd: number | null }[] }) => all.map(({ cost_usd }) => cost_usd)
      const before = await trace()
      const inList = async () => (await send({ path: '/v1/traces', headers: OWN })).json().traces[0].cost_usd
      assert.equal(await inList(), before.cost_usd)
      assert.deepEqual(costs(before), [0.00129, null, null, 0.000075, null])
      assert.deepEqual([before.cost_usd, before.unpriced_models], [0.001365, ['house-model']])
      assert.equal(Object.keys(before).indexOf('cost_usd') > Object.keys(before).indexOf('steps'), true)
      assert.deepEqual(costs(await steps()), costs(before))

      await put('house-model', { input_usd_per_million: 1, output_usd_per_million: 10 })
      const after = await trace()
      assert.deepEqual([after.cost_usd, after.unpriced_models, costs(after)[2]], [0.002465, [], 0.0011])
      assert.deepEqual(costs(await steps()), costs(after))
      assert.equal(await inList(), after.cost_usd)
      await remove('house-model')
      assert.deepEqual((await trace()).cost_usd, before.cost_usd)
    })

    test('the cost is null without prices, and the sum over several pages is the sum of the steps', async () => {
      const { send } = await prices()
      const none = await (await costOf(send, [{ name: 'a', model: 'unknown', token_usage: { input: 1 } }])).trace()
      assert.deepEqual([none.cost_usd, none.unpriced_models], [null, ['unknown']])
      const empty = await (await costOf(send, [])).trace()
      assert.deepEqual([empty.cost_usd, empty.unpriced_models, empty.steps], [null, [], []])
      const step = { name: 's', model: 'gpt-4o', token_usage: { input: 3, output: 1 } }
      const long = await (
        await costOf(
          send,
          Array.from({ length: 1234 }, () => step),
        )
      ).trace()
      // 1234 · (3 · 2.50 + 1 · 10) millionths
      assert.equal(long.cost_usd, 0.021595)
    })
  })
}

test('a project has a limit of prices, and changing one of them does not count', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const send = (request: Parameters<typeof sendTo>[1]) => sendTo(port, request)
  const put = (model: string, body: string) => send({ method: 'PUT', path: `/v1/prices/${model}`, headers: OWN, body })
  for (let i = 0; i < OWN_PRICES_MAX; i++) await put(`m${i}`, JSON.stringify(RATES))
  const refused = await put('one-more', JSON.stringify(RATES))
  assert.deepEqual([refused.status, refused.json().errors[0].code], [422, 'too_many'])
  assert.equal((await put('m0', JSON.stringify({ ...RATES, input_usd_per_million: 3 }))).status, 200)
  const { prices, next_cursor } = (await send({ path: '/v1/prices?limit=99999', headers: OWN })).json()
  assert.equal(prices.length, DEFAULT_LIMITS.listLimitMax)
  assert.notEqual(next_cursor, null)
})

test('returns rates to the last digit', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const send = (request: Parameters<typeof sendTo>[1]) => sendTo(port, request)
  const rate = fc.double({ min: 0, max: 1_000_000, noNaN: true }).map((value) => value + 0)
  await fc.assert(
    fc.asyncProperty(rate, rate, fc.option(rate), fc.option(rate), async (input, output, read, write) => {
      const rates = {
        input_usd_per_million: input,
        output_usd_per_million: output,
        cache_read_usd_per_million: read,
        cache_write_usd_per_million: write,
      }
      await send({ method: 'PUT', path: '/v1/prices/m', headers: OWN, body: JSON.stringify(rates) })
      const [price] = (await send({ path: '/v1/prices?model=m', headers: OWN })).json().prices
      for (const [name, value] of Object.entries(rates)) assert.equal(price[name], value)
    }),
    { numRuns: 50 },
  )
})
