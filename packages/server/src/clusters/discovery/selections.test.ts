import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { CLUSTER_SELECTIONS_MAX } from '@spoor/contract/limits'
import { toTraceFilters, type WireFilters } from '@spoor/contract/trace-filters'
import { clusterSetOf } from '../../ports/clusters/cluster-set.ts'
import { ClustersWorld, DAY } from '../clusters-world.test-support.ts'

const filtersOf = (given: WireFilters) => {
  const none = { metadata: [], startTime: null, endTime: null, text: null }
  return { ...toTraceFilters('lists', given), ...none }
}
const TOPICS = ['refund my broken order', 'change my flight to Lisbon', 'reset the password of my account']

async function discover(world: ClustersWorld, given: WireFilters) {
  const { id, setId } = await world.clusters.useCases.discover(world.projectId, 'requests', DAY, filtersOf(given))
  return { job: await world.ended(id), setId }
}

test('a selection has clusters of its own, which emit nothing and get no later traces', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const { useCases } = world.clusters
  const add = (name: string, count: number): TraceId[] =>
    world
      .addTraces(count, (at) => TOPICS[at % (name === 'bot' ? 2 : 3)]!)
      .map((id) => {
        world.traces.commit({ ...world.traces.find(id)!, name })
        return id
      })
  const bots = add('bot', 40)
  add('other', 60)
  assert.equal((await world.discover()).result?.traces, 100)
  const emitted = world.told.size

  const { job, setId } = await discover(world, { name: 'bot' })
  assert.deepEqual([job.result?.traces, job.result?.clusters, job.result?.created], [40, 2, 2])
  const { clusters } = await useCases.list(setId)
  const members = await Promise.all(clusters.map(({ id }) => world.membersOf(id)))
  assert.deepEqual(members.flat().toSorted(), bots.toSorted())
  assert.equal(world.told.size, emitted)
  assert.equal(
    (await useCases.list(world.projectId)).clusters.reduce((sum, { size }) => sum + size, 0),
    100,
  )
  // Its traces were read once, by the first discovery.
  assert.equal(world.traces.read.length, 100)

  add('bot', 2)
  await world.advance(60_000)
  await useCases.list(setId)
  await useCases.list(world.projectId)
  assert.deepEqual(
    (await useCases.list(setId)).clusters.map(({ size }) => size),
    [20, 20],
  )

  // The same filters replace it, and keep ids; a cluster of it is read and renamed by its id.
  const again = await discover(world, { name: ['bot'] })
  assert.deepEqual([again.setId, again.job.result?.traces, again.job.result?.created], [setId, 42, 0])
  const [first] = clusters
  assert.equal((await useCases.rename(world.projectId, first!.id, 'Given')).cluster.label, 'Given')
  assert.equal((await useCases.list(setId)).clusters.find(({ id }) => id === first!.id)?.label, 'Given')

  const [selection, ...others] = await useCases.selections(world.projectId)
  assert.deepEqual([selection!.filters.name, others.length], ['bot', 0])
  assert.equal(await useCases.setOf(world.projectId, 'requests', selection!.id), setId)
  await useCases.dropSelection(world.projectId, selection!.id)
  await assert.rejects(useCases.setOf(world.projectId, 'requests', selection!.id), { code: 'not_found' })
  await assert.rejects(useCases.dropSelection(world.projectId, selection!.id), { code: 'not_found' })
  await assert.rejects(useCases.read(world.projectId, first!.id), { code: 'not_found' })
  assert.deepEqual(world.errors, [])
})

test('a cluster is split by the filter of its own members', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const { useCases } = world.clusters
  world.addTraces(120, (at) => (at % 4 === 3 ? 'what is the weather tomorrow' : TOPICS[at % 4]!))
  await world.discover({ ...DAY, kMax: 2 })
  const [largest] = (await useCases.list(world.projectId)).clusters
  const members = await world.membersOf(largest!.id)
  const { job, setId } = await discover(world, { cluster: largest!.id })
  assert.equal(job.result?.traces, members.length)
  const parts = (await useCases.list(setId)).clusters
  assert.ok(parts.length >= 2)
  assert.deepEqual((await Promise.all(parts.map(({ id }) => world.membersOf(id)))).flat().toSorted(), members)
  assert.ok(parts.every(({ selection }) => selection !== null))
})

test('filters that match too few traces find nothing, and a project has few selections', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  world.addTraces(30, () => 'refund my order')
  const { job, setId } = await discover(world, { name: 'nobody' })
  assert.deepEqual([job.result?.reason, job.result?.traces], ['insufficient_data', 0])
  assert.equal((await world.clusters.useCases.list(setId)).computedAt, null)
  for (let number = 1; number < CLUSTER_SELECTIONS_MAX; number++) await discover(world, { name: `agent ${number}` })
  await assert.rejects(discover(world, { name: 'one more' }), { code: 'validation_failed' })
  assert.equal((await discover(world, { name: 'nobody' })).setId, setId)
  const failures = await world.clusters.useCases.discover(
    world.projectId,
    'failures',
    DAY,
    filtersOf({ name: 'nobody' }),
  )
  assert.equal(failures.setId, clusterSetOf(world.projectId, 'failures', job.setId.split('/')[2] as never))
  await world.ended(failures.id)
})
