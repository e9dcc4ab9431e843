import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { ClustersWorld } from '../clusters-world.test-support.ts'

const TOPICS = [
  (n: number) => `please refund my order ${n}, the money should go back to my card`,
  (n: number) => `what is the weather forecast for tomorrow in city number ${n}`,
  (n: number) => `translate this sentence into french: the cat ${n} sleeps on the sofa`,
]
const ask = (index: number) => TOPICS[index % TOPICS.length]!(index)

test('the most similar traces come first, before and after a discovery; deleted ones are left out', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const { projectId } = world
  const { similar, clusterOf, discoveryOf } = world.clusters.useCases
  const ids = world.addTraces(27, ask)
  const versions = (of: readonly TraceId[]) => of.map((id) => ({ id, version: 1 }))
  async function nearest(own: TraceId, among: readonly TraceId[]) {
    const found = await similar(projectId, { id: own, version: 1 }, versions(among))
    const falling = found.toSorted((one, other) => other.similarity - one.similarity)
    assert.deepEqual(found, falling)
    return found.map(({ traceId }) => traceId)
  }
  const ofTopic = (topic: number) => ids.filter((_, index) => index % TOPICS.length === topic)
  const [own, ...rest] = ids
  assert.deepEqual([await clusterOf(projectId, own!), await discoveryOf(projectId)], [null, null])
  assert.deepEqual((await nearest(own!, rest)).slice(0, 8).toSorted(), ofTopic(0).slice(1))
  await world.discover()
  const cluster = await clusterOf(projectId, own!)
  const { clusters } = await world.clusters.useCases.list(projectId)
  const { label } = clusters.find(({ id }) => id === cluster)!
  assert.match(label, /refund|order|card|money/)
  assert.equal((await discoveryOf(projectId))?.failureBy, 'status')
  assert.deepEqual((await nearest(own!, rest)).slice(0, 8).toSorted(), ofTopic(0).slice(1))
  const [later] = world.addTraces(1, () => ask(2))
  assert.deepEqual((await nearest(later!, ids)).slice(0, 9).toSorted(), ofTopic(2))
  assert.deepEqual(await nearest(later!, [later!]), [])
  // Each is a part of steps here, and a request reads at most 30.
  assert.equal((await nearest(own!, world.addTraces(40, ask))).length, 30)
  world.delete(own!)
  await world.advance(60_000)
  assert.deepEqual(await nearest(own!, rest.slice(0, 1)), rest.slice(0, 1))
  assert.equal((await similar(projectId, { id: later!, version: 1 }, [])).length, 0)
})
