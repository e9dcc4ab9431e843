import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type AnswerRequest, startModelServer, textsIn } from '../../model-endpoints/model-server.test-support.ts'
import { OpenAiEmbedder } from '../../model-endpoints/openai-embedder.ts'
import { passTime } from '../../model-endpoints/pass-time.test-support.ts'
import { ClustersWorld } from '../clusters-world.test-support.ts'
import { answerWithWords } from '../word-vectors.test-support.ts'

const TOPICS = [
  (n: number) => `please refund my order ${n}, the money should go back to my card`,
  (n: number) => `what is the weather forecast for tomorrow in city number ${n}`,
  (n: number) => `translate this sentence into french: the cat ${n} sleeps on the sofa`,
]
const ask = (index: number) => TOPICS[index % TOPICS.length]!(index)
const DAY_MS = 24 * 3600 * 1000
const refuse: AnswerRequest = (_request, response) => void response.writeHead(503).end('down for maintenance')

/** A world whose traces are embedded by a local server. */
async function start(context: TestContext) {
  const server = await startModelServer(answerWithWords())
  const world = new ClustersWorld()
  const asking = { timers: world.timers, clock: world.timers, random: () => 0 }
  const useModel = (model: string) =>
    (world.endpoint = new OpenAiEmbedder({ url: server.url, model, apiKey: 'k' }, asking))
  context.after(async () => {
    await world.close()
    await server.close()
  })
  return {
    world,
    server,
    useModel,
    /** Texts requested since the last call. */
    asked: () => server.requests.splice(0).flatMap(textsIn),
    /** Ids of the clusters by the words of their label, and the name of their embedder. */
    async found() {
      const { clusters } = await world.clusters.useCases.list(world.projectId)
      const { items } = await world.clusters.useCases.runs(world.projectId, { limit: 1, cursor: null })
      return {
        ids: clusters.map(({ id }) => id).toSorted(),
        sizes: clusters.map(({ size }) => size),
        version: items[0]?.embedderVersion,
      }
    },
  }
}

test('traces are clustered by the vectors of an endpoint, each text requested once', async (context) => {
  const { world, useModel, asked, found } = await start(context)
  useModel('small')
  world.clusters.start()
  world.addTraces(60, ask)
  world.addTraces(30, () => ask(0))
  const first = await world.discover()
  assert.equal(first.error, null)
  assert.deepEqual([first.result?.clusters, first.result?.created], [3, 3])
  const before = await found()
  assert.deepEqual([before.sizes, before.version], [[50, 20, 20], 'endpoint-small.1'])
  const texts = asked()
  assert.equal(texts.length, 60)
  assert.ok(texts.includes(`${ask(0)}\nSteps: answer`))
  const again = await world.discover()
  assert.deepEqual([again.result?.created, again.result?.shifted, again.result?.ended], [0, 0, 0])
  assert.deepEqual(asked(), [])
  const [changed] = world.addTraces(6, (index) => ask(60 + index))
  await world.discover()
  assert.equal(asked().length, 6)
  world.traces.put(world.projectId, changed!, ask(99))
  await world.discover()
  assert.deepEqual(asked(), [`${ask(99)}\nSteps: answer`])
  assert.deepEqual(await found(), { ...before, sizes: [52, 22, 22] })
  assert.equal(world.told.size, 1)
})

test('an unreachable endpoint fails the job with a reason; clusters stay, and vectors are not requested again', async (context) => {
  const { world, server, useModel, asked, found } = await start(context)
  useModel('small')
  world.clusters.start()
  world.addTraces(60, ask)
  await world.discover()
  asked()
  // As stored: a reader would have the new traces assigned.
  const { clusters } = world.store
  const stored = async () => clusters.clusters((await clusters.currentRun(world.projectId))!)
  const before = await stored()
  world.addTraces(300, (index) => ask(60 + index))
  server.answer = (request, response, number) =>
    (textsIn(request).some((text) => text.includes(' 350')) ? refuse : answerWithWords())(request, response, number)
  const failed = await passTime(world.timers, world.discover(), 10_000)
  assert.equal(failed.status, 'failed')
  assert.match(failed.error!, /^The embedding endpoint answered 503 at the last of 6 tries: "down for maintenance"\. /)
  assert.deepEqual(await stored(), before)
  server.answer = answerWithWords()
  asked()
  assert.equal((await world.discover()).status, 'succeeded')
  assert.equal(asked().length, 300 - 256)
  assert.deepEqual((await found()).sizes, [120, 120, 120])
})

test('vectors of another length than before fail the job and change nothing', async (context) => {
  const { world, server, useModel, found } = await start(context)
  useModel('small')
  world.clusters.start()
  world.addTraces(60, ask)
  await world.discover()
  const before = await found()
  world.addTraces(1, () => 'something new')
  server.answer = answerWithWords(32)
  const failed = await world.discover()
  assert.match(
    failed.error!,
    /^The embedding endpoint answered with vectors of 32 numbers, where it made ones of 48 for this project before\. /,
  )
  assert.deepEqual(await found(), before)
})

test('another embedder finds the former clusters by their members, and emits no event', async (context) => {
  const { world, server, useModel, asked, found } = await start(context)
  world.clusters.start()
  world.addTraces(60, ask)
  await world.discover()
  const { ids } = await found()
  // The window has moved: none of its traces was in the last run.
  const moveOn = async () => {
    world.timers.advance(2 * DAY_MS)
    await world.restart()
    world.addTraces(60, (index) => ask(1000 + index))
    const job = await world.discover()
    assert.equal(job.error, null)
    return [job.result?.created, job.result?.shifted, job.result?.ended]
  }
  useModel('small')
  assert.deepEqual(await moveOn(), [0, 0, 0])
  assert.deepEqual(await found(), { ids, sizes: [20, 20, 20], version: 'endpoint-small.2' })
  assert.equal(asked().length, 120)
  useModel('large')
  server.answer = answerWithWords(300)
  assert.deepEqual(await moveOn(), [0, 0, 0])
  assert.deepEqual(await found(), { ids, sizes: [20, 20, 20], version: 'endpoint-large.3' })
  world.endpoint = null
  assert.deepEqual(await moveOn(), [0, 0, 0])
  assert.deepEqual(await found(), { ids, sizes: [20, 20, 20], version: 'builtin-2.4' })
  assert.equal(world.told.size, 1)
})

test('later traces are assigned to the nearest cluster, and wait while the endpoint is unreachable or another one', async (context) => {
  const { world, server, useModel, asked, found } = await start(context)
  useModel('small')
  world.clusters.start()
  world.addTraces(60, ask)
  await world.discover()
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) await world.breathe()
  }
  const sizes = async () => (await found()).sizes.toSorted().join(' ')
  /** Traces become old enough, and a reader comes. */
  const passOn = async () => {
    world.timers.advance(30_000)
    await world.restart()
    await found()
  }
  world.addTraces(2, () => ask(300))
  await passOn()
  await until(async () => (await sizes()) === '20 20 22')
  server.answer = refuse
  world.addTraces(2, () => ask(301))
  await passOn()
  await until(() => world.errors.length > 0)
  assert.match(world.errors[0]!, /new traces could not be put into clusters: .*answered 503: "down for maintenance"/)
  server.answer = answerWithWords()
  useModel('large')
  const looked = new Promise<void>((go) => {
    world.beforeAnswer = ({ operation }) => operation === 'assign' && go()
  })
  asked()
  await passOn()
  await looked
  await world.breathe()
  assert.deepEqual([await sizes(), asked()], ['20 20 22', []])
  useModel('small')
  await passOn()
  await until(async () => (await sizes()) === '20 22 22')
})

test('a job whose process died during requests continues from the stored vectors', async (context) => {
  const { world, useModel, asked, found } = await start(context)
  useModel('small')
  world.clusters.start()
  world.addTraces(600, ask)
  const reached = new Promise<void>((go) => {
    world.beforeAnswer = ({ operation }) => operation === 'embed' && go()
  })
  const { id } = await world.clusters.useCases.discover(world.projectId, 'requests', {
    windowHours: 24,
    kMin: 2,
    kMax: 12,
    onlyComplete: false,
    failureBy: 'status',
  })
  await reached
  world.beforeAnswer = () => undefined
  await world.restart({ killed: true })
  const job = await world.ended(id)
  assert.deepEqual([job.status, job.attempts], ['succeeded', 2])
  assert.deepEqual((await found()).sizes, [200, 200, 200])
  assert.equal(asked().length, 600)
})

test('no text that is empty, too long or not well-formed is sent for any traces', async (context) => {
  const { world, useModel, asked, found } = await start(context)
  useModel('small')
  world.clusters.start()
  const odd = [
    '',
    ' \n',
    '\u0000\u0007',
    'x'.repeat(4_000_000),
    '\ud800 half',
    '我想取消订单',
    '<script>alert(1)</script>',
    '"}]}',
  ]
  world.addTraces(48, (index) => odd[index % odd.length]!)
  world.addTraces(20, ask)
  const job = await world.discover()
  assert.equal(job.error, null)
  const texts = asked()
  assert.ok(texts.every((text) => text.trim() !== '' && text.length <= 2000 && text.isWellFormed()))
  assert.equal(
    (await found()).sizes.reduce((sum, size) => sum + size, 0),
    68,
  )
})
