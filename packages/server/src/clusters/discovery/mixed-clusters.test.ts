import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ClustersWorld, DAY } from '../clusters-world.test-support.ts'

const REFUND = (n: number) => `please refund my order ${n}, the money should go back to my card`
const FLIGHT = (n: number) => `change the flight to Lisbon for passenger ${n} to a later departure`
const WEATHER = (n: number) => `what is the weather forecast for tomorrow in city number ${n}`

/** Runs two discoveries and returns the clusters after each. */
async function discoveredTwice(context: TestContext, ...kinds: readonly ((n: number) => string)[]) {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  world.addTraces(90, (index) => kinds[index % kinds.length]!(index))
  const lists = []
  for (let run = 0; run < 2; run++) {
    await world.discover({ ...DAY, kMax: 2 })
    lists.push((await world.clusters.useCases.list(world.projectId)).clusters)
  }
  return lists
}

test('a cluster of two kinds has the name of the larger, is mixed, and has a request of each', async (context) => {
  const [first, again] = await discoveredTwice(
    context,
    REFUND,
    REFUND,
    REFUND,
    FLIGHT,
    FLIGHT,
    WEATHER,
    WEATHER,
    WEATHER,
  )
  const mixed = first!.find(({ isMixed }) => isMixed)!
  const rest = first!.filter((cluster) => cluster !== mixed)
  assert.ok(rest.every(({ isMixed, tightness }) => !isMixed && tightness > mixed.tightness && tightness <= 1))
  const requests = [mixed.typicalRequest, mixed.otherRequest].map((request) =>
    request?.split(' ').slice(0, 3).join(' '),
  )
  const larger = /refund|what is/.exec(requests[0]!)?.[0]
  assert.ok(larger !== undefined, requests[0])
  assert.match(requests[1]!, /change the flight/)
  assert.doesNotMatch(mixed.label, /flight|lisbon|passenger/)
  assert.deepEqual(again, first)
})

test('a cluster whose traces all ask the same has no other request, and is of one kind', async (context) => {
  const [list] = await discoveredTwice(
    context,
    () => 'please refund my order',
    () => 'what is the weather forecast',
  )
  assert.deepEqual(
    list!.map(({ otherRequest, isMixed }) => [otherRequest, isMixed]),
    [
      [null, false],
      [null, false],
    ],
  )
})
