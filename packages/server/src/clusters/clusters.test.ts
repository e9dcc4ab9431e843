import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { projectOfSet } from '../ports/clusters/cluster-set.ts'
import { ClustersWorld, DAY } from './clusters-world.test-support.ts'
import { currentMembers } from './current-members.ts'
import type { ListedCluster } from './use-cases.ts'

const TOPICS = [
  (n: number) => `please refund my order ${n}, the money should go back to my card`,
  (n: number) => `what is the weather forecast for tomorrow in city number ${n}`,
  (n: number) => `translate this sentence into french: the cat ${n} sleeps on the sofa`,
]
const ask = (index: number) => TOPICS[index % TOPICS.length]!(index)

async function start(context: TestContext): Promise<ClustersWorld> {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  return world
}

test('a discovery clusters the traces of a day, colours failing clusters, and emits one event for each new one', async (context) => {
  const world = await start(context)
  const ids = world.addTraces(90, ask, (index) => index % 3 === 0 && index % 2 === 0)
  const job = await world.discover()
  assert.equal(job.status, 'succeeded', job.error ?? '')
  assert.deepEqual([job.result?.traces, job.result?.clusters, job.result?.created], [90, 3, 3])
  const { clusters, computedAt } = await world.clusters.useCases.list(world.projectId)
  assert.deepEqual(
    clusters.map(({ size }) => size),
    [30, 30, 30],
  )
  assert.equal(computedAt, world.timers.now())
  assert.deepEqual(clusters.map(({ color, errorRate }) => `${color} ${errorRate}`).toSorted(), [
    'fail 0.5',
    'ok 0',
    'ok 0',
  ])
  const labels = clusters.map(({ label }) => label).join(' ')
  for (const word of ['refund', 'weather', 'french']) assert.match(labels + JSON.stringify(clusters), new RegExp(word))
  const told = [...world.told.values()]
  assert.deepEqual(
    told.flatMap(({ events }) => events.map((event) => event.type)),
    ['cluster.created', 'cluster.created', 'cluster.created'],
  )
  const detail = await world.clusters.useCases.read(world.projectId, clusters[0]!.id)
  assert.equal(detail.representatives.length, 5)
  assert.ok(Math.abs(Math.hypot(...detail.centroid) - 1) < 1e-5)
  const { points } = await world.clusters.useCases.map(world.projectId, 1000)
  assert.deepEqual(points.map(({ traceId }) => traceId).toSorted(), ids)
  const sample = await world.clusters.useCases.map(world.projectId, 10)
  assert.deepEqual(sample.points, points.slice(0, 10))
})

test('a second discovery keeps the ids, emits no event, and only reads steps that changed', async (context) => {
  const world = await start(context)
  const ids = world.addTraces(60, ask)
  await world.discover()
  const before = (await world.clusters.useCases.list(world.projectId)).clusters
  world.traces.read.length = 0
  world.traces.put(world.projectId, ids[0]!, ask(0))
  const added = world.addTraces(15, ask)
  const { result } = await world.discover()
  assert.deepEqual([result?.created, result?.shifted, result?.ended], [0, 0, 0])
  assert.deepEqual(world.traces.read, [ids[0], ...added])
  const after = (await world.clusters.useCases.list(world.projectId)).clusters
  assert.deepEqual(after.map(({ id }) => id).toSorted(), before.map(({ id }) => id).toSorted())
  assert.deepEqual(new Set(after.map(({ firstSeenAt }) => firstSeenAt)), new Set([before[0]!.firstSeenAt]))
  assert.equal(world.told.size, 1)
  const runs = await world.clusters.useCases.runs(world.projectId, { limit: 10, cursor: null })
  assert.deepEqual(
    runs.items.map(({ traces, clusters }) => [traces, clusters.length]),
    [
      [75, 3],
      [60, 3],
    ],
  )
})

test('a cluster is listed with the request of its most typical trace that exists', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  const { useCases } = world.clusters
  const [listed] = (await useCases.list(world.projectId)).clusters
  const { representatives, cluster } = await useCases.read(world.projectId, listed!.id)
  const [first, second] = representatives
  assert.equal(first!.request, world.traces.asked(first!.traceId))
  assert.deepEqual([listed!.typicalRequest, cluster.typicalRequest], [first!.request, first!.request])
  world.delete(first!.traceId)
  assert.equal(
    (await useCases.list(world.projectId)).clusters.find(({ id }) => id === listed!.id)?.typicalRequest,
    second!.request,
  )
  assert.equal((await useCases.read(world.projectId, listed!.id)).cluster.typicalRequest, second!.request)
  for (const { traceId } of representatives) world.delete(traceId)
  assert.equal((await useCases.read(world.projectId, listed!.id)).cluster.typicalRequest, null)
})

test('fewer than twenty traces make no clusters, and existing clusters stay', async (context) => {
  const world = await start(context)
  world.addTraces(19, ask)
  const few = await world.discover()
  assert.deepEqual([few.status, few.result?.reason, few.result?.traces], ['succeeded', 'insufficient_data', 19])
  assert.deepEqual(await world.clusters.useCases.list(world.projectId), {
    clusters: [],
    computedAt: null,
    failureBy: null,
    unassigned: 0,
  })
  world.addTraces(21, ask)
  await world.discover()
  const before = await world.clusters.useCases.list(world.projectId)
  world.timers.advance(2 * 24 * 3600 * 1000)
  assert.equal((await world.discover()).result?.reason, 'insufficient_data')
  assert.deepEqual(await world.clusters.useCases.list(world.projectId), before)
})

test('a project has one job at a time, and every project gets its turn', async (context) => {
  const world = await start(context)
  const others = [world.ids.newId('proj'), world.ids.newId('proj')]
  const ended: string[] = []
  const { useCases } = world.clusters
  const first = await useCases.discover(world.projectId, 'requests', DAY)
  assert.equal((await useCases.discover(world.projectId, 'requests', { ...DAY, kMax: 5 })).id, first.id)
  const jobs = [first]
  for (const projectId of others) jobs.push(await useCases.discover(projectId, 'requests', DAY))
  for (const job of jobs) ended.push((await world.ended(job.id, projectOfSet(job.setId))).id)
  assert.deepEqual(
    ended,
    jobs.map(({ id }) => id),
  )
  const next = await useCases.discover(world.projectId, 'requests', DAY)
  assert.notEqual(next.id, first.id)
  await world.ended(next.id)
  await assert.rejects(useCases.job(others[0]!, first.id), { code: 'not_found' })
})

test('small jobs do not wait for a large one, and new traces neither', async (context) => {
  const world = await start(context)
  const [large, small] = [world.ids.newId('proj'), world.projectId]
  world.addTraces(60, ask)
  await world.discover()
  world.addTraces(2001, ask, undefined, large)
  const { useCases } = world.clusters
  const reached = Promise.withResolvers<void>()
  world.hold = ({ operation, request }) => {
    if (operation !== 'discover' || request.setId !== large) return undefined
    reached.resolve()
    return new Promise(() => undefined)
  }
  const job = await useCases.discover(large, 'requests', DAY)
  await reached.promise
  assert.equal((await world.discover()).status, 'succeeded')
  world.addTraces(6, ask)
  await world.advance(40_000)
  const sizes = (await useCases.list(small)).clusters.map(({ size }) => size)
  assert.deepEqual(sizes, [22, 22, 22])
  const { job: held } = await useCases.job(large, job.id)
  assert.deepEqual([held.status, held.attempts], ['running', 1])
  assert.equal((await useCases.discover(large, 'requests', DAY)).id, job.id)
})

test('no job waits for the patterns of another project, and a stop waits for the events', async (context) => {
  const found = Promise.withResolvers<void>()
  context.after(() => found.resolve())
  const world = await start(context)
  const other = world.ids.newId('proj')
  world.addTraces(60, ask, undefined, other)
  world.addTraces(60, ask)
  const reached = Promise.withResolvers<void>()
  world.holdPatterns = () => {
    reached.resolve()
    return found.promise
  }
  const { useCases } = world.clusters
  const slow = await useCases.discover(other, 'requests', DAY)
  await reached.promise
  await useCases.setSchedule(world.projectId, { enabled: true, everyHours: 1, parameters: DAY })
  await world.advance(3_600_000)
  const { items } = await useCases.jobs(world.projectId, { cursor: null, limit: 10 })
  assert.equal(items.length, 1, 'a round adds a job')
  const { id } = items[0]!.job
  assert.equal((await world.ended(slow.id, other)).status, 'succeeded')
  assert.equal((await world.ended(id)).status, 'succeeded')
  assert.deepEqual([...world.told.keys()], [slow.id])
  let isStopped = false
  const stopped = world.clusters.stop().then(() => (isStopped = true))
  for (let turn = 0; turn < 50; turn++) await world.breathe()
  assert.equal(isStopped, false)
  found.resolve()
  await stopped
  assert.deepEqual([...world.told.keys()], [slow.id, id])
  assert.deepEqual(world.errors, [])
})

test('a job with more steps than a short one may read continues among the long ones', async (context) => {
  const world = await start(context)
  world.addTraces(120, ask)
  const steps = world.traces.steps.bind(world.traces)
  world.traces.steps = async function* (projectId, traceIds) {
    for (const id of traceIds) yield* steps(projectId, [id])
  }
  const { lane, status, attempts } = await world.discover()
  assert.deepEqual([lane, status, attempts], ['long', 'succeeded', 1])
  // What was read is not read again.
  assert.equal(new Set(world.traces.read).size, 120)
  assert.ok(world.traces.read.length <= 121)
})

test('a cluster keeps the label that somebody gave it, through later discoveries and in events, until it is reset', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  const { useCases } = world.clusters
  const [{ id, label }] = (await useCases.list(world.projectId)).clusters as [ListedCluster, ...ListedCluster[]]
  const renamed = await useCases.rename(world.projectId, id, 'Refunds')
  assert.deepEqual([renamed.cluster.label, renamed.cluster.automaticLabel], ['Refunds', label])
  world.addTraces(15, ask)
  await world.discover()
  const again = (await useCases.list(world.projectId)).clusters.find((cluster) => cluster.id === id)
  assert.deepEqual([again?.label, again?.automaticLabel], ['Refunds', label])
  await world.restart()
  assert.equal((await world.clusters.useCases.read(world.projectId, id)).cluster.label, 'Refunds')
  const reset = await world.clusters.useCases.rename(world.projectId, id, null)
  assert.deepEqual([reset.cluster.label, reset.cluster.automaticLabel], [label, null])
  for (const wrong of ['', ' ', 'a\u0000b', 'x'.repeat(201)])
    await assert.rejects(world.clusters.useCases.rename(world.projectId, id, wrong), { code: 'validation_failed' })
  const elsewhere = world.ids.newId('proj')
  await assert.rejects(world.clusters.useCases.rename(elsewhere, id, 'mine'), { code: 'not_found' })
  assert.deepEqual(await world.store.clusters.labels(elsewhere), new Map())
})

test('events name a cluster by the label that somebody gave it', async (context) => {
  const world = await start(context)
  const half = (index: number) => (index < 30 ? TOPICS[0]! : TOPICS[1]!)
  world.addTraces(60, (index) => `${half(index)} ${index}`)
  world.commitFailure = new Error('the disk is full')
  await world.discover()
  const [cluster] = (await world.clusters.useCases.list(world.projectId)).clusters
  await world.clusters.useCases.rename(world.projectId, cluster!.id, 'Renamed early')
  world.commitFailure = null
  await world.advance(15_000)
  const events = [...world.told.values()].flatMap((run) => run.events)
  const told = events.filter((event) => JSON.stringify(event).includes('Renamed early'))
  assert.equal(told.length, 1)
  assert.ok(JSON.stringify(told).includes(cluster!.id))
})

test('failures are measured by metadata and by the latest event of a boolean metric', async (context) => {
  const world = await start(context)
  const ids = world.addTraces(60, ask)
  const { useCases } = world.clusters
  const rates = async (failureBy: string) => {
    const job = await world.discover({ ...DAY, failureBy })
    assert.equal(job.error, null)
    const { clusters, failureBy: used } = await useCases.list(world.projectId)
    assert.equal(used, failureBy)
    return clusters.map(({ errorRate, color }) => [errorRate, color]).toSorted()
  }
  assert.deepEqual(await rates('status'), [[0, 'ok'], [0, 'ok'], [0, 'ok']]) // prettier-ignore
  // Each third trace is of one topic.
  ids.forEach((id, index) => world.traces.setMetadata(id, { reward: index % 3 === 0 ? 0 : 1 }))
  assert.deepEqual(await rates('metadata:reward=0'), [[0, 'ok'], [0, 'ok'], [1, 'fail']]) // prettier-ignore
  const metricId = world.ids.newId('met')
  world.metrics.set('solved', { id: metricId, kind: 'boolean' })
  const score = (index: number, passed: boolean) =>
    world.traces.scores.push({
      number: index,
      projectId: world.projectId,
      traceId: ids[index]!,
      metricId,
      at: 1,
      passed,
    })
  for (let index = 0; index < 30; index++) score(index, index % 3 !== 1)
  assert.deepEqual(await rates('metric:solved'), [[0, 'ok'], [0, 'ok'], [1, 'fail']]) // prettier-ignore
})

test('a measure of failure that does not exist is refused, and fails the job if it goes away', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  world.metrics.set('size', { id: world.ids.newId('met'), kind: 'numeric' })
  const refused = async (failureBy: string, message: RegExp) => {
    const parameters = { ...DAY, failureBy }
    const wrong = { code: 'validation_failed', message }
    await assert.rejects(world.clusters.useCases.discover(world.projectId, 'requests', parameters), wrong)
    const schedule = { enabled: true, everyHours: 1, parameters }
    await assert.rejects(world.clusters.useCases.setSchedule(world.projectId, schedule), wrong)
  }
  await refused('errors', /metadata:KEY=VALUE/)
  await refused('metric:solved', /no metric "solved"/)
  await refused('metric:size', /numeric/)
  world.metrics.set('solved', { id: world.ids.newId('met'), kind: 'boolean' })
  const schedule = { enabled: true, everyHours: 1, parameters: { ...DAY, failureBy: 'metric:solved' } }
  await world.clusters.useCases.setSchedule(world.projectId, schedule)
  world.metrics.delete('solved')
  await world.advance(3_600_000)
  const { items } = await world.clusters.useCases.jobs(world.projectId, { cursor: null, limit: 1 })
  assert.equal(items[0]?.job.status, 'failed')
  assert.match(items[0]?.job.error ?? '', /no metric "solved"/)
})

test('contradictory bounds are refused', async (context) => {
  const world = await start(context)
  const wrong = { ...DAY, kMin: 6, kMax: 5 }
  await assert.rejects(world.clusters.useCases.discover(world.projectId, 'requests', wrong), {
    code: 'validation_failed',
  })
  const schedule = { enabled: true, everyHours: 1, parameters: wrong }
  await assert.rejects(world.clusters.useCases.setSchedule(world.projectId, schedule), { code: 'validation_failed' })
})

test('a job whose process died starts again, in any phase', async (context) => {
  for (const phase of ['lacking', 'keep', 'discover', 'tidy'] as const) {
    const world = await start(context)
    world.addTraces(60, ask)
    const reached = new Promise<void>((go) => {
      world.beforeAnswer = ({ operation }) => operation === phase && go()
    })
    const { id } = await world.clusters.useCases.discover(world.projectId, 'requests', DAY)
    await reached
    world.beforeAnswer = () => undefined
    await world.restart({ killed: true })
    const job = await world.ended(id)
    await world.emitted(id)
    assert.deepEqual([job.status, job.attempts, job.result?.clusters], ['succeeded', 2, 3], phase)
    const { items } = await world.clusters.useCases.runs(world.projectId, { limit: 10, cursor: null })
    assert.equal(items.length, 1, phase)
    assert.deepEqual([...world.told.keys()], [id], phase)
    assert.equal((await world.clusters.useCases.list(world.projectId)).clusters.length, 3, phase)
  }
})

test('a job that ends its process every time fails with a reason', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  const { id } = await world.clusters.useCases.discover(world.projectId, 'requests', DAY)
  for (let death = 0; death < 3; death++) {
    while ((await world.clusters.useCases.job(world.projectId, id)).job.attempts <= death) await world.breathe()
    await world.restart({ killed: true })
  }
  const job = await world.ended(id)
  assert.deepEqual([job.status, job.error], ['failed', 'The service ended 3 times while this ran.'])
})

test('a stop interrupts the job without counting an attempt', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  const { id } = await world.clusters.useCases.discover(world.projectId, 'requests', DAY)
  while ((await world.clusters.useCases.job(world.projectId, id)).job.status !== 'running') await world.breathe()
  await world.restart()
  const job = await world.ended(id)
  assert.deepEqual([job.status, job.attempts], ['succeeded', 1])
  assert.deepEqual(world.errors, [])
})

test('events are emitted once, however late', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  world.commitFailure = new Error('the disk is full')
  const { id } = await world.discover()
  assert.equal(world.told.size, 0)
  await world.restart()
  await world.advance(0)
  world.commitFailure = null
  await world.advance(15_000)
  assert.deepEqual([...world.told.keys()], [id])
  await world.advance(15_000)
  assert.deepEqual(world.commits, [id])
})

test('a thread that dies fails its job with a reason, and the next job gets a new thread', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  world.dies = ({ operation }) => operation === 'discover'
  const failed = await world.discover()
  assert.deepEqual([failed.status, failed.error], ['failed', 'The thread that computes clusters died: out of memory'])
  world.dies = () => false
  assert.equal((await world.discover()).status, 'succeeded')
  world.traces.failure = new Error('secret path /home')
  const broken = await world.discover()
  assert.deepEqual(
    [broken.status, broken.error],
    ['failed', 'Something went wrong inside the service; its log says what.'],
  )
  world.traces.failure = null
})

test('new traces cost nothing until somebody reads the clusters, and then leave only members', async (context) => {
  const world = await start(context)
  const ids = world.addTraces(60, ask)
  await world.discover()
  const operations: string[] = []
  world.beforeAnswer = ({ operation }) => operations.push(operation)
  world.traces.read.length = 0
  const late = world.addTraces(2100, ask)
  await world.restart()
  await world.advance(60_000)
  assert.deepEqual([operations, world.traces.read], [[], []])
  const { clusters } = await world.clusters.useCases.list(world.projectId)
  assert.deepEqual(
    clusters.map(({ size }) => size),
    [720, 720, 720],
  )
  assert.deepEqual(world.traces.read, late)
  assert.deepEqual(new Set(operations), new Set(['assign']))
  const kept = await world.store.clusters.keptTraces(null, 5000)
  assert.deepEqual(
    kept.map(({ traceId }) => traceId),
    ids,
  )
})

test('the cluster of a filter, and one cluster, include traces that arrived since', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  const [first] = await world.store.clusters.clusters((await world.store.clusters.currentRun(world.projectId))!)
  const { id } = first!.cluster
  const members = currentMembers(world.store.clusters, (projectId) => world.clusters.catchUp(projectId))
  const isOf = async () => {
    const place = (await members.place(world.projectId, id))!
    return members.members(place, null, 'desc', 1)
  }
  const [newest] = await isOf()
  const topic = world.traces.asked(newest!)!
  const [late] = world.addTraces(1, () => topic)
  await world.advance(30_000)
  assert.deepEqual(await isOf(), [late])
  assert.deepEqual(
    await members.membersAmong((await members.place(world.projectId, id))!, [late!, newest!]),
    new Set([late, newest]),
  )
  world.addTraces(1, () => topic)
  await world.advance(30_000)
  assert.equal((await world.clusters.useCases.read(world.projectId, id)).cluster.size, 22)
})

test('a read waits two seconds for the assignment of new traces, and other projects have their turn', async (context) => {
  const world = await start(context)
  const small = world.ids.newId('proj')
  for (const projectId of [world.projectId, small]) {
    world.addTraces(60, ask, undefined, projectId)
    await world.discover(DAY, projectId)
    world.addTraces(projectId === small ? 30 : 3000, ask, undefined, projectId)
  }
  await world.advance(30_000)
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const order: string[] = []
  world.hold = ({ operation, request }) => {
    if (operation !== 'assign') return undefined
    order.push(request.setId)
    reached.resolve()
    return held.promise
  }
  const sizes = async (projectId = world.projectId) => {
    const { clusters } = await world.clusters.useCases.list(projectId)
    return clusters.map(({ size }) => size)
  }
  const early = sizes()
  await reached.promise
  world.timers.advance(1999)
  const other = sizes(small)
  world.timers.advance(1)
  assert.deepEqual(await early, [20, 20, 20])
  // Later readers do not wait again.
  assert.deepEqual(await sizes(), [20, 20, 20])
  held.resolve()
  assert.deepEqual(await other, [30, 30, 30])
  while ((await sizes())[0] !== 1020) await world.breathe()
  assert.ok(order.lastIndexOf(small) < order.lastIndexOf(world.projectId))
})

test('later traces that fit no cluster are counted and found, and the next discovery groups them', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  const other = world.addTraces(20, (index) => `quarterly budget spreadsheet number ${index} is missing a column`)
  await world.advance(30_000)
  const { useCases } = world.clusters
  const { clusters } = await useCases.list(world.projectId)
  assert.deepEqual(
    clusters.map(({ size }) => size),
    [20, 20, 20],
  )
  const unassigned = async () => (await useCases.list(world.projectId)).unassigned
  assert.equal(await unassigned(), 20)
  const found = (await world.store.clusters.place(world.projectId, 'none'))!
  assert.deepEqual(await world.store.clusters.members(found, null, 'asc', 100), other)
  assert.equal(await useCases.clusterOf(world.projectId, other[0]!), null)
  world.delete(other[0]!)
  assert.equal(await unassigned(), 19)
  await world.discover()
  assert.equal(await unassigned(), 0)
  assert.equal((await useCases.list(world.projectId)).clusters.length, 4)
})

test('a project says where the request is: in the metadata or in JSON of messages; features follow', async (context) => {
  const world = await start(context)
  const documents = (index: number) => `document ${'alpha beta gamma delta'.split(' ')[index % 4]} words of a store`
  const ids = world.addTraces(60, (index) =>
    JSON.stringify({ documents: documents(index).repeat(20), question: ask(index) }),
  )
  for (const [index, id] of ids.entries()) world.traces.setMetadata(id, { asked: { text: documents(index) } })
  const groups = async () => {
    await world.discover()
    const run = (await world.store.clusters.currentRun(world.projectId))!
    const counts = await Promise.all(
      [0, 1, 2].map(async (topic) => {
        const own = ids.filter((_, index) => index % 3 === topic)
        return (await world.store.clusters.countAmong(run, own)).size
      }),
    )
    return counts
  }
  world.inputPath = '$.question'
  assert.deepEqual(await groups(), [1, 1, 1])
  const read = world.traces.read.length
  assert.deepEqual(await groups(), [1, 1, 1])
  assert.equal(world.traces.read.length, read)
  world.inputPath = 'metadata.asked.text'
  assert.notDeepEqual(await groups(), [1, 1, 1])
  assert.equal(world.traces.read.length, read + 60)
})

test('a policy before each question is left out of clusters and names, also one that came later', async (context) => {
  const world = await start(context)
  const policy = (word: string) => [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `${word}${letter} rule`).join(' ')
  const behind = (word: string) => (index: number) => `${policy(word)} ${ask(index)}`
  world.addTraces(60, behind('first'))
  const clusters = async () => (await world.clusters.useCases.list(world.projectId)).clusters
  await world.discover()
  const first = await clusters()
  assert.deepEqual(
    first.map(({ size }) => size),
    [20, 20, 20],
  )
  assert.doesNotMatch(JSON.stringify(first.map(({ label, keywords }) => [label, keywords])), /rule/)
  world.addTraces(60, behind('second'))
  await world.discover()
  const second = await clusters()
  assert.deepEqual(
    second.map(({ id, size }) => [id, size]),
    first.map(({ id }) => [id, 40]),
  )
})

test('a trace that is deleted while it is assigned is in no cluster', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  const [late] = world.addTraces(3, ask)
  await world.advance(30_000)
  world.beforeAnswer = ({ operation }) => {
    if (operation === 'assign' && world.deleted.length === 0) world.delete(late!)
  }
  const { clusters } = await world.clusters.useCases.list(world.projectId)
  const run = (await world.store.clusters.currentRun(world.projectId))!
  assert.deepEqual(await world.store.clusters.countAmong(run, [late!]), new Map())
  assert.deepEqual(clusters.map(({ size }) => size).toSorted(), [20, 21, 21])
})

test('later traces are assigned to the nearest cluster once they are some seconds old', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  const sizes = async () => {
    const { clusters } = await world.clusters.useCases.list(world.projectId)
    return clusters.map(({ size }) => size)
  }
  const [late] = world.addTraces(1, () => ask(0))
  await world.advance(15_000)
  assert.deepEqual(await sizes(), [20, 20, 20])
  await world.advance(15_000)
  assert.deepEqual(await sizes(), [21, 20, 20])
  const { points } = await world.clusters.useCases.map(world.projectId, 1000)
  assert.equal(points.length, 60)
  const place = (id: string) => world.store.clusters.place(world.projectId, id as never)
  const [largest] = (await world.clusters.useCases.list(world.projectId)).clusters
  const found = (await place(largest!.id))!
  assert.deepEqual(await world.store.clusters.members(found, null, 'desc', 1), [late])
  world.addTraces(1, () => 'something else altogether')
  await world.restart()
  await world.advance(60_000)
  assert.deepEqual(await sizes(), [21, 20, 20])
})

test('the window is by creation time, and traces whose ids are ahead of it are still assigned', async (context) => {
  const world = await start(context)
  const HOUR_MS = 3_600_000
  const add = (index: number, agoMs: number, leadMs: number) =>
    world.traces.add(world.projectId, world.timers.now() - agoMs, ask(index), false, leadMs)
  for (let index = 0; index < 30; index++) add(index, 48 * HOUR_MS, 36 * HOUR_MS)
  for (let index = 0; index < 60; index++) add(index, HOUR_MS, index < 30 ? 0 : 24 * HOUR_MS)
  assert.equal((await world.discover()).result?.traces, 60)
  const members = async () => {
    const { clusters } = await world.clusters.useCases.list(world.projectId)
    return clusters.reduce((sum, { size }) => sum + size, 0)
  }
  // Committed by a clock that was two days ahead and was corrected before the next commit.
  add(0, -48 * HOUR_MS, 0)
  add(1, 0, 48 * HOUR_MS)
  await world.advance(15_000)
  assert.equal(await members(), 61)
  await world.advance(15_000)
  assert.equal(await members(), 62)
})

test('a deleted trace is in no answer, and is soon removed everywhere', async (context) => {
  const world = await start(context)
  const ids = world.addTraces(60, ask)
  // One is deleted while the discovery runs.
  world.beforeAnswer = ({ operation }) => {
    if (operation === 'discover') world.delete(ids[3]!)
  }
  await world.discover()
  world.beforeAnswer = () => undefined
  const seen = async () => {
    const { clusters } = await world.clusters.useCases.list(world.projectId)
    const { points } = await world.clusters.useCases.map(world.projectId, 1000)
    const size = clusters.reduce((sum, one) => sum + one.size, 0)
    return [size, points.length, points.some(({ traceId }) => traceId === ids[3])]
  }
  assert.deepEqual(await seen(), [59, 59, false])
  const [cluster] = (await world.clusters.useCases.list(world.projectId)).clusters
  const { representatives } = await world.clusters.useCases.read(world.projectId, cluster!.id)
  world.delete(representatives[0]!.traceId)
  assert.equal((await seen())[0], 58)
  assert.deepEqual(
    (await world.clusters.useCases.read(world.projectId, cluster!.id)).representatives,
    representatives.slice(1),
  )
  await world.advance(15_000)
  assert.equal((await seen())[0], 58)
  const kept = (await world.store.clusters.keptTraces(null, 1000)).map(({ traceId }) => traceId)
  assert.deepEqual(
    kept,
    ids.filter((id) => id !== ids[3] && id !== representatives[0]!.traceId),
  )
})

test('a schedule adds jobs, makes up for missed times once, and can be disabled', async (context) => {
  const world = await start(context)
  const { useCases } = world.clusters
  assert.deepEqual(await useCases.schedule(world.projectId), {
    enabled: false,
    everyHours: 24,
    parameters: DAY,
    nextRunAt: null,
  })
  world.addTraces(60, ask)
  const parameters = { ...DAY, windowHours: 720 }
  const set = await useCases.setSchedule(world.projectId, { enabled: true, everyHours: 2, parameters })
  assert.equal(set.nextRunAt, world.timers.now() + 2 * 3600 * 1000)
  const runs = async () => {
    for (let turn = 0; turn < 200; turn++) await world.breathe()
    return (await world.clusters.useCases.runs(world.projectId, { limit: 100, cursor: null })).items.length
  }
  await world.advance(3600 * 1000)
  assert.equal(await runs(), 0)
  await world.advance(3600 * 1000 + 15_000)
  assert.equal(await runs(), 1)
  await world.clusters.stop()
  world.timers.advance(10 * 3600 * 1000)
  await world.restart()
  assert.equal(await runs(), 2)
  await world.advance(3600 * 1000)
  assert.equal(await runs(), 2)
  await world.clusters.useCases.setSchedule(world.projectId, { enabled: false, everyHours: 2, parameters })
  await world.advance(10 * 3600 * 1000)
  assert.equal(await runs(), 2)
})

test('a job whose end could not be written runs again', async (context) => {
  const world = await start(context)
  world.addTraces(60, ask)
  const { jobs } = world.store
  const finish = jobs.finish.bind(jobs)
  const refused = new Promise<void>((go) => {
    jobs.finish = async () => {
      jobs.finish = finish
      go()
      throw new Error('the disk is full')
    }
  })
  const { id } = await world.clusters.useCases.discover(world.projectId, 'requests', DAY)
  await refused
  await world.advance(0)
  await world.advance(15_000)
  const job = await world.ended(id)
  await world.emitted(id)
  assert.deepEqual([job.status, job.attempts, job.result?.clusters], ['succeeded', 2, 3])
  assert.deepEqual([...world.told.keys()], [id])
})
