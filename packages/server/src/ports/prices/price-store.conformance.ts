import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import type { OwnPrice } from './price.ts'
import type { PriceStore } from './price-store.ts'

export const OWN = 'proj_01h2xcejqtf2nbrexx3vqjhp41' as ProjectId
export const OTHER = 'proj_01h2xcejqtf2nbrexx3vqjhp42' as ProjectId

export function aPrice(model: string, input = 0.1 + 0.2): OwnPrice {
  return { model, input, output: 1e-7, cacheRead: null, cacheWrite: 0, updatedAt: 5 }
}

/** Guarantees of every store of prices. `open` gives an empty one. */
export function testPriceStore(open: (context: TestContext) => Promise<PriceStore>): void {
  test('prices come back as they were set, by project, the last one of a model', async (context) => {
    const prices = await open(context)
    assert.equal((await prices.own(OWN)).size, 0)
    for (const model of ['openai/gpt-4o', 'ü\u{1F600}"\'', 'x'.repeat(1000)]) {
      assert.equal(await prices.put(OWN, aPrice(model), 9), true)
    }
    await prices.put(OWN, aPrice('openai/gpt-4o', 7), 9)
    const own = await prices.own(OWN)
    assert.deepEqual(own.get('openai/gpt-4o'), aPrice('openai/gpt-4o', 7))
    assert.deepEqual(own.get('ü\u{1F600}"\''), aPrice('ü\u{1F600}"\''))
    assert.equal(own.size, 3)
    assert.equal(own.get('OPENAI/GPT-4O'), undefined)
    assert.equal((await prices.own(OTHER)).size, 0)
    assert.equal(await prices.own(OWN), own, 'the very same object while nothing changed')
  })

  test('removing says whether there was one, and touches no other', async (context) => {
    const prices = await open(context)
    for (const project of [OWN, OTHER]) await prices.put(project, aPrice('m'), 9)
    await prices.put(OWN, aPrice('n'), 9)
    const given = await prices.own(OWN)
    assert.deepEqual([await prices.remove(OWN, 'm'), await prices.remove(OWN, 'm')], [true, false])
    const [own, other] = [await prices.own(OWN), await prices.own(OTHER)]
    assert.deepEqual([[...own.keys()], [...other.keys()]], [['n'], ['m']])
    assert.equal(given.size, 2, 'what was given out stays as it was')
  })

  test('one more than the most is refused, changing one of them is not', async (context) => {
    const prices = await open(context)
    for (const model of ['a', 'b']) assert.equal(await prices.put(OWN, aPrice(model), 2), true)
    assert.equal(await prices.put(OWN, aPrice('c'), 2), false)
    assert.equal(await prices.put(OWN, aPrice('b', 9), 2), true)
    assert.equal(await prices.put(OTHER, aPrice('c'), 2), true)
    const own = await prices.own(OWN)
    assert.deepEqual([[...own.keys()].toSorted(), own.get('b')?.input], [['a', 'b'], 9])
  })
}
