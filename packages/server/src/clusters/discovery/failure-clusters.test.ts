import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { clusterSetOf } from '../../ports/clusters/cluster-set.ts'
import { ClustersWorld, DAY } from '../clusters-world.test-support.ts'

const CAUSES = [
  (n: number) => ['TimeoutError', `the payment gateway at https://pay.test/${n} did not answer within ${n} seconds`],
  (n: number) => ['ValidationError', `order number ORD-${n}77 has no delivery address in /var/orders/${n}/form.json`],
]

test('failed traces are clustered by their errors, beside the requests of all traces', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const { useCases } = world.clusters
  const failures = clusterSetOf(world.projectId, 'failures')
  const ofCause: TraceId[][] = [[], []]
  const addOne = (at: number) => {
    const [type, message] = CAUSES[at % 2]!(1000 + 37 * at)
    const id = addFailed(world, message!, type)
    ofCause[at % 2]!.push(id)
    return id
  }
  world.addTraces(40, (at) => (at % 2 === 0 ? 'what is the weather tomorrow' : 'change the flight to Lisbon'))
  for (let at = 0; at < 40; at++) addOne(at)

  const job = await world.discover({ ...DAY, kMax: 6 }, failures)
  assert.deepEqual([job.result?.traces, job.result?.clusters], [40, 2])
  const { clusters } = await useCases.list(failures)
  const twenty = ['failures', 20]
  assert.deepEqual(
    clusters.map(({ kind, size }) => [kind, size]),
    [twenty, twenty],
  )
  const payments = clusters.find(({ label }) => /payment|gateway|answer/.test(label))
  const orders = clusters.find(({ label }) => /order|address|delivery/.test(label))
  assert.ok(payments !== undefined && orders !== undefined && payments !== orders)
  assert.match(orders.typicalRequest!, /^the error of tr_/)
  const membersOf = async (id: (typeof clusters)[number]['id']) => {
    const place = (await world.store.clusters.place(world.projectId, id))!
    return world.store.clusters.members(place, null, 'asc', 100)
  }
  assert.deepEqual(await membersOf(payments.id), ofCause[0]!.toSorted())

  // The requests have clusters and jobs of their own.
  assert.equal((await useCases.list(world.projectId)).computedAt, null)
  assert.equal((await world.discover()).result?.traces, 80)
  assert.ok((await useCases.list(world.projectId)).clusters.every(({ kind }) => kind === 'requests'))
  assert.equal((await useCases.jobs(failures, { cursor: null, limit: 10 })).items.length, 1)

  // Events say which kind, those of patterns too.
  const events = world.told.get(job.id)!.events.map((event) => 'data' in event && event.data)
  assert.deepEqual(events, ['{"of":"failures"}', '{"of":"failures"}'])
  for (const { id } of clusters) assert.match(JSON.stringify(world.told.get(`pattern ${id}`)), /failures/)

  const { kind, failureBy, createdFrom, filters } = (await useCases.discoveryOf(world.projectId, payments.id))!
  assert.deepEqual([kind, failureBy, filters], ['failures', 'status', null])
  assert.ok(createdFrom <= job.startedAt! - 24 * 3_600_000 && createdFrom > job.startedAt! - 25 * 3_600_000)

  // Failed traces that arrive later are assigned, others are not.
  const later = addOne(41)
  world.addTraces(1, () => 'please refund my order')
  await world.advance(60_000)
  await useCases.list(failures)
  assert.deepEqual((await membersOf(orders.id)).at(-1), later)
  assert.equal((await useCases.list(failures)).unassigned, 0)

  // A label belongs to the cluster, and a deleted trace leaves both sets.
  assert.equal((await useCases.rename(world.projectId, orders.id, 'No address')).cluster.label, 'No address')
  await world.store.clusters.forget(world.projectId, [later])
  assert.equal((await useCases.read(world.projectId, orders.id)).cluster.size, 20)
})

/** Adds a trace whose first step failed. */
function addFailed(world: ClustersWorld, message: string, type = 'Error'): TraceId {
  const [id] = world.addTraces(1, () => 'please refund my order')
  const body = JSON.stringify({ messages: [], error: { type, message } })
  const own = { id: id!, version: 2, createdAt: world.timers.now(), failed: true, deleted: false }
  const steps = [[id!, 'call api', 'tool', 'error', body, []] as const]
  world.traces.commit({ ...own, projectId: world.projectId, steps })
  return id!
}

test('a long error that many runs share is their cause, not a template that is left out', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const failures = clusterSetOf(world.projectId, 'failures')
  const words = 'the ledger of the bank refused a booking because its account was frozen by an auditor who has not yet'
  const shared = `${words} answered and ${words} released it so that every later booking is refused as well`
  const names = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove']
  for (let at = 0; at < 30; at++) {
    addFailed(world, `${shared} ${names[at % 7]} ${names[(at + 2) % 7]} ${names[(at + 3) % 7]}`)
    addFailed(world, `the parcel ${names[at % 7]} was lost by its carrier on the way`)
  }
  assert.equal((await world.discover({ ...DAY, kMax: 2 }, failures)).result?.clusters, 2)
  const labels = (await world.clusters.useCases.list(failures)).clusters.map(({ keywords }) => keywords.join(' '))
  assert.equal(labels.filter((all) => /ledger|booking|auditor|bank|account/.test(all)).length, 1, labels.join('; '))
})

test('when the metric of a run of failures is deleted, reads go on without an error', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const failures = clusterSetOf(world.projectId, 'failures')
  const metricId = world.ids.newId('met')
  world.metrics.set('solved', { id: metricId, kind: 'boolean' })
  for (let at = 0; at < 40; at++) {
    const traceId = addFailed(world, CAUSES[at % 2]!(at)[1]!)
    const score = { number: at, projectId: world.projectId, traceId, metricId, at: world.timers.now(), passed: false }
    world.traces.scores.push(score)
  }
  const job = await world.discover({ ...DAY, kMax: 2, failureBy: 'metric:solved' }, failures)
  assert.deepEqual([job.error, job.result?.traces], [null, 40])
  world.metrics.clear()
  addFailed(world, CAUSES[0]!(7)[1]!)
  await world.advance(60_000)
  const { clusters } = await world.clusters.useCases.list(failures)
  assert.equal(
    clusters.reduce((sum, { size }) => sum + size, 0),
    40,
  )
  assert.deepEqual(world.errors, [])
})
