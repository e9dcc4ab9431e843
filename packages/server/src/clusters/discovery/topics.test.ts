import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClustersWorld, DAY } from '../clusters-world.test-support.ts'

/** What is asked for in each area. */
const AREAS = {
  'flight ticket with the airline': ['earlier departure', 'window seat', 'checked suitcase', 'dog cage', 'vegan meal'],
  'bank account at the branch': ['stolen card', 'transfer limit', 'monthly fee', 'second owner', 'tax statement'],
  'hotel room at the resort': ['clean towels', 'late checkout', 'loud neighbours', 'breakfast hours', 'parking space'],
  'phone contract with the network': ['roaming abroad', 'old number', 'more gigabytes', 'weak signal', 'broken chip'],
}
const OPENINGS = ['Hello, can you tell me about', 'I need help with', 'Please look into', 'We have a question on']

const TOPICS = Object.entries(AREAS).flatMap(([area, wishes]) =>
  wishes.map((wish) => (n: number) => `${OPENINGS[n % 4]} the ${wish} and the ${wish} for my ${area}, case ${n}`),
)
const areaOf = (request: string | null) => Object.keys(AREAS).find((area) => request!.includes(area))

test('many clusters have topics above them, which keep their names; few have none', async (context) => {
  const world = new ClustersWorld()
  context.after(() => world.close())
  world.clusters.start()
  const add = (times: number) =>
    world.addTraces(times * TOPICS.length, (n) => TOPICS[n % TOPICS.length]!(Math.floor(n / TOPICS.length)))
  const discovered = async (kMin: number, kMax: number) => {
    await world.discover({ ...DAY, kMin, kMax } as unknown as typeof DAY)
    return (await world.clusters.useCases.list(world.projectId)).clusters
  }
  add(12)
  const first = await discovered(20, 20)
  assert.equal(first.length, 20)
  const areas = Map.groupBy(first, ({ parent }) => parent)
  assert.equal(areas.size, 4)
  for (const [topic, clusters] of areas) {
    const [area, ...others] = new Set(clusters.map(({ typicalRequest }) => areaOf(typicalRequest)))
    assert.deepEqual([others, clusters.length], [[], 5], `${topic}: ${clusters.map(({ label }) => label).join(', ')}`)
    assert.ok(
      topic!
        .split(' · ')[0]!
        .split(' ')
        .every((word) => area!.includes(word)),
      `${topic} for ${area}`,
    )
  }
  const one = first[0]!
  assert.equal((await world.clusters.useCases.read(world.projectId, one.id)).cluster.parent, one.parent)

  add(6)
  const again = await discovered(20, 20)
  const topicsBefore = new Map(first.map(({ id, parent }) => [id, parent]))
  assert.deepEqual(
    again.map(({ id, parent }) => [id, parent]),
    again.map(({ id }) => [id, topicsBefore.get(id)]),
  )

  const few = await discovered(2, 8)
  assert.deepEqual(new Set(few.map(({ parent }) => parent)), new Set([null]))
})
