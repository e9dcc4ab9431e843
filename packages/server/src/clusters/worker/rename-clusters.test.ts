import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ClustersWorld } from '../clusters-world.test-support.ts'
import type { ClusterNamer, NamingQuestion } from '@spoor/clustering/naming/cluster-namer'

const TOPICS = [
  (n: number) => `please refund my order ${n}, the money should go back to my card`,
  (n: number) => `what is the weather forecast for tomorrow in city number ${n}`,
  (n: number) => `translate this sentence into french: the cat ${n} sleeps on the sofa`,
]
const ask = (index: number) => TOPICS[index % TOPICS.length]!(index)

/** Names by the first word of the first member, while it works. */
class Namer implements ClusterNamer {
  readonly model = 'chat'
  readonly questions: NamingQuestion[] = []
  name = async (question: NamingQuestion) => {
    this.questions.push(question)
    return { label: `About ${question.members[0]!.split(' ')[0]}`, description: 'Told by a model.' }
  }
}

async function start(context: TestContext) {
  const world = new ClustersWorld()
  context.after(() => world.close())
  const namer = new Namer()
  world.namer = namer
  world.clusters.start()
  const labels = async () => {
    const { clusters } = await world.clusters.useCases.list(world.projectId)
    return clusters.map(({ label }) => label).toSorted()
  }
  const restart = async (next: ClusterNamer | null) => {
    world.namer = next
    await world.restart()
  }
  return { world, namer, labels, restart }
}

const NAMED = ['About please', 'About translate', 'About what']

test('a model names new clusters from members and nearest others; a cluster it named keeps its name', async (context) => {
  const { world, namer, labels, restart } = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  assert.deepEqual(await labels(), NAMED)
  assert.equal(namer.questions.length, 3)
  const [{ members, outsiders, keywords }] = namer.questions as [NamingQuestion]
  const topic = members[0]!.split(' ')[0]!
  assert.deepEqual([members.length, outsiders.length], [5, 4])
  assert.ok(members.every((text) => text.startsWith(topic)) && !outsiders.some((text) => text.startsWith(topic)))
  assert.ok(keywords.length > 0)
  const { clusters } = await world.clusters.useCases.list(world.projectId)
  assert.deepEqual(new Set(clusters.map(({ description }) => description)), new Set(['Told by a model.']))
  const [told] = [...world.told.values()]
  const events = told!.events.map((event) => JSON.stringify(event))
  assert.ok(events.every((event) => event.includes('About ') && !event.includes('namedBy')))
  world.addTraces(30, ask)
  await world.discover()
  await restart(null)
  await world.discover()
  assert.deepEqual(await labels(), NAMED)
  assert.deepEqual(world.errors, [])
})

test('a shifted cluster is renamed, by its words without a model', async (context) => {
  const { world, namer, labels, restart } = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  world.addTraces(60, () => ask(0))
  const { result } = await world.discover()
  assert.ok(result!.shifted > 0)
  assert.equal(namer.questions.length, 3 + result!.shifted)
  await restart(null)
  world.addTraces(300, () => ask(1))
  assert.ok((await world.discover()).result!.shifted > 0)
  assert.ok((await labels()).some((label) => !label.startsWith('About ')))
})

test('a cluster without a name from the model keeps that of its words; this is logged once, and requested again', async (context) => {
  const { world, namer, labels } = await start(context)
  const answer = namer.name
  namer.name = async (question) => {
    if (question.members[0]!.startsWith('what')) throw new Error('The naming endpoint answered 500.')
    return answer(question)
  }
  world.addTraces(60, ask)
  const job = await world.discover()
  assert.equal(job.status, 'succeeded')
  const [first, second, third] = await labels()
  assert.deepEqual([first, second], [NAMED[0], NAMED[1]])
  assert.match(third!, /weather|forecast|tomorrow|city/)
  assert.deepEqual(world.errors, ['1 unnamed: The naming endpoint answered 500.'])
  namer.name = answer
  namer.questions.length = 0
  await world.discover()
  assert.deepEqual(await labels(), NAMED)
  assert.equal(namer.questions.length, 1)
})

test('no two labels are the same, even if the model repeats one', async (context) => {
  const { world, namer, labels } = await start(context)
  namer.name = async () => ({ label: 'A Task', description: 'As any.' })
  world.addTraces(60, ask)
  await world.discover()
  const all = await labels()
  assert.equal(new Set(all).size, 3)
  assert.equal(all.filter((label) => label === 'A Task').length, 1)
})

test('a new cluster does not get a name that another had in the last run', async (context) => {
  const { world, namer, labels } = await start(context)
  world.addTraces(60, ask)
  await world.discover()
  namer.name = async () => ({ label: 'About what', description: 'Told by a model.' })
  world.timers.advance(25 * 3600 * 1000)
  world.addTraces(60, (index) => `${['play some music', 'set an alarm for noon'][index % 2]!} ${index}`)
  const { result } = await world.discover()
  assert.deepEqual([result?.created, result?.ended], [2, 3])
  assert.ok(!(await labels()).includes('About what'))
})

test('a name with a person or a booking number is refused, and not kept from before', async (context) => {
  const { world, namer, labels } = await start(context)
  world.addTraces(60, (index) => `${ask(index)}. I am Olivia Klein, thanks`)
  for (const leak of ['Refunds of Olivia', 'Booking ZFA04Y', 'Mails to help@example.org']) {
    namer.name = async () => ({ label: 'Some task', description: leak })
    await world.discover()
    namer.name = async () => ({ label: leak, description: 'Some task.' })
    await world.discover()
    assert.ok((await labels()).every((label) => !/olivia|klein|booking|mails|task/i.test(label)))
  }
  assert.match(world.errors.join(), /3 unnamed: The naming endpoint answered with a name of a person/)
})

test('no further name is requested after the time limit', async (context) => {
  const { world, namer } = await start(context)
  const answer = namer.name
  namer.name = async (question) => {
    world.timers.advance(121_000)
    return answer(question)
  }
  world.addTraces(60, ask)
  const job = await world.discover()
  assert.equal(job.status, 'succeeded')
  assert.equal(namer.questions.length, 1)
  assert.match(world.errors.join(), /2 unnamed: The naming endpoint took too long/)
})
