import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClustersWorld } from '../clusters-world.test-support.ts'

const TOPICS = [
  'the money for my order should go back to my card',
  'what is the weather forecast for tomorrow here',
  'translate a long sentence about cats and sofas',
]

test('names, keywords, descriptions and events contain no names of persons and no ids', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  // One person for each topic, as when the runs of a cluster belong to one customer.
  const persons = ['Olivia Gonzalez', 'Raj Sanchez', 'Sofia Kim'] as const
  world.addTraces(75, (index) => {
    const person = persons[index % 3]!
    const id = `${person.toLowerCase().replace(' ', '_')}_${2000 + (index % 3)}`
    return `${TOPICS[index % 3]!}, please, says ${person}. It is ${id}, ${id}@example.org, #W123${index}, +1 555 123 456${index % 10}.`
  })
  await world.discover()
  const { clusters } = await world.clusters.useCases.list(world.projectId)
  const events = [...world.told.values()].flatMap((run) => run.events)
  assert.equal(clusters.length, 3)
  assert.equal(events.length, 3)
  const shown = JSON.stringify([
    clusters.map(({ label, keywords, description }) => [label, keywords, description]),
    events,
  ])
  assert.doesNotMatch(shown, /olivia|gonzalez|raj|sanchez|sofia|kim|example|W123|555/i)
  assert.match(shown, /money/)
  assert.match(shown, /weather/)
  assert.match(shown, /sentence/)
})
