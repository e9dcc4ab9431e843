import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ClustersWorld, DAY } from '../clusters-world.test-support.ts'

const REFUND = 'please refund my order, the money should go back to my card'
const WEATHER = 'what is the weather forecast for tomorrow'
const FRENCH = 'translate this sentence into french'

async function discovered(context: TestContext, texts: readonly string[], kMin: number) {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  world.addTraces(texts.length, (index) => texts[index]!)
  const first = await world.discover({ ...DAY, kMin } as typeof DAY)
  const again = await world.discover({ ...DAY, kMin } as typeof DAY)
  return [first, again].map(({ result }) => [result?.reason, result?.clusters])
}

const each = (count: number, ...texts: readonly string[]) => Array.from({ length: count }, () => texts).flat()

test('two prompts are two clusters, however many traces each has', async (context) => {
  assert.deepEqual(await discovered(context, each(20, REFUND, WEATHER), 2), [
    [null, 2],
    [null, 2],
  ])
  for (const refunds of [12, 16, 24, 28]) {
    const texts = [...each(refunds, REFUND), ...each(40 - refunds, WEATHER)]
    assert.deepEqual(
      await discovered(context, texts, 2),
      [
        [null, 2],
        [null, 2],
      ],
      `${refunds} of 40`,
    )
  }
})

test('k_min is the least number of clusters when there are as many distinct traces', async (context) => {
  assert.deepEqual(await discovered(context, each(20, REFUND, WEATHER, FRENCH), 3), [
    [null, 3],
    [null, 3],
  ])
})

test('with fewer distinct traces than k_min there is one cluster for each, and a reason', async (context) => {
  const reason = 'too_few_distinct_traces'
  assert.deepEqual(await discovered(context, each(20, REFUND, WEATHER, FRENCH), 5), [
    [reason, 3],
    [reason, 3],
  ])
  assert.deepEqual(await discovered(context, each(40, REFUND), 2), [
    [reason, 1],
    [reason, 1],
  ])
})
