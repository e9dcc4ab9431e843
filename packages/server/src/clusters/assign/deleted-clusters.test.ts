import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClustersWorld } from '../clusters-world.test-support.ts'

const TOPICS = [
  'please refund my order, the money should go back to my card',
  'what is the weather forecast for tomorrow',
  'translate this sentence into french',
]

test('a cluster whose traces are all deleted is not listed, and sizes count the remaining traces after any number of deletions', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const { useCases } = world.clusters
  const sizes = async () => (await useCases.list(world.projectId)).clusters.map(({ size }) => size)
  const ids = world.addTraces(2100, (index) => TOPICS[index % 3]!)
  await world.discover()
  assert.deepEqual(await sizes(), [700, 700, 700])
  const details = async () => {
    const answers = await Promise.allSettled(clusters.map(({ id }) => useCases.read(world.projectId, id)))
    return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.cluster.size : 'none')).toSorted()
  }
  const { clusters } = await useCases.list(world.projectId)
  ids.forEach((id, index) => (index % 3 < 2 || index < 30 ? world.delete(id) : undefined))
  for (const isTakenOut of [false, true]) {
    if (isTakenOut) await world.advance(15_000)
    assert.deepEqual(await sizes(), [690])
    assert.deepEqual(await details(), [690, 'none', 'none'])
    const { points } = await useCases.map(world.projectId, 5000)
    assert.deepEqual([points.length, new Set(points.map(({ clusterId }) => clusterId)).size], [690, 1])
  }
  assert.equal((await world.store.clusters.keptTraces(null, 5000)).length, 690)
})
