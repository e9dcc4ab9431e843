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
  const addFailed = (at: number) => {
    const [type, message] = CAUSES[at % 2]!(1000 + 37 * at)
    const [id] = world.addTraces(1, () => 'please refund my order')
    const body = JSON.stringify({ messages: [], error: { type, message } })
    const steps = [[id!, 'call api', 'tool', 'error', body, []] as const]
    const own = { id: id!, version: 2, createdAt: world.timers.now(), failed: true, deleted: false }
    world.traces.commit({ ...own, projectId: world.projectId, steps })
    ofCause[at % 2]!.push(id!)
    return id!
  }
  world.addTraces(40, (at) => (at % 2 === 0 ? 'what is the weather tomorrow' : 'change the flight to Lisbon'))
  for (let at = 0; at < 40; at++) addFailed(at)

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

  // Events say which kind; there are no patterns where all failed.
  const events = world.told.get(job.id)!.events.map((event) => 'data' in event && event.data)
  assert.deepEqual(events, ['{"of":"failures"}', '{"of":"failures"}'])

  // Failed traces that arrive later are assigned, others are not.
  const later = addFailed(41)
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
