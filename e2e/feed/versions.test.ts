import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailurePattern } from '@spoor/contract/schemas/traces/failure-patterns'
import type { VersionList } from '@spoor/contract/schemas/versions'
import { discover } from '../clusters/discoveries.ts'
import { eventually } from '../lib/eventually.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'

const SECRET = 'a secret of nobody else'
const TOPICS = ['refund my order of shoes', 'weather forecast for tomorrow in oslo'] as const

/** A run on one of the topics; a failed one mostly calls the tool `pay`. */
function run(release: string, topic: number, failed: boolean, random: Random): object {
  const text = `Please: ${TOPICS[topic]}, number ${random.below(100_000)}.`
  const pays = failed ? random.chance(0.9) : random.chance(0.1)
  return {
    name: 'assistant',
    status: failed ? 'error' : 'ok',
    metadata: { release, version: 'the same' },
    steps: [
      { name: 'answer', type: 'llm', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
      ...(pays ? [{ name: 'pay', type: 'tool' }] : []),
    ],
  }
}

test('a version that fails more often is told once over all runs and in its cluster, with the patterns of its failures', async () => {
  const random = createRandom(7)
  await using receiver = await Receiver.start(SECRET)
  await using service = await Service.start({
    environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1', SPOOR_MONITOR_INTERVAL_SECONDS: '1' },
  })
  const { client } = service
  const { projects } = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>()
  const headers = { 'content-type': 'application/json' }
  const changed = await client.call({
    method: 'PATCH',
    path: `/v1/projects/${projects[0]!.id}`,
    headers,
    body: '{"version_key":"release"}',
  })
  const { version_key, task_key } = changed.json<{ version_key: string; task_key: string }>()
  assert.deepEqual([changed.status, version_key, task_key], [200, 'release', 'task_id'])
  const subscriptions = await Subscriptions.of(() => service.client)
  const events = ['version.regressed', 'cluster.pattern']
  await subscriptions.create({ url: receiver.url, events, secret: SECRET })
  const commit = async (release: string, count: number, rates: readonly [number, number]) => {
    for (let at = 0; at < count; at += 1) {
      const topic = at % 2
      const answer = await client.postTrace(run(release, topic, random.chance(rates[topic]!), random))
      assert.equal(answer.status, 202, answer.text)
    }
  }
  const told = (type: string) => receiver.received().filter((event) => event.type === type)

  await commit('v1', 160, [0.2, 0.1])
  await discover(client, { k_max: 2 })
  await eventually('the pattern of a cluster is delivered', () => told('cluster.pattern').length > 0)
  const { pattern } = told('cluster.pattern')[0]!.data as { pattern: FailurePattern }
  assert.deepEqual([pattern.kind, pattern.name, pattern.effect > 0], ['tool', 'pay', true])
  await discover(client, { k_max: 2 })

  await commit('v2', 160, [0.9, 0.1])
  const list = async () => (await client.get('/v1/versions')).json<VersionList>()
  // New traces join clusters some seconds after their arrival. Versions are compared again after 19 times as long as
  // the last comparison took.
  await eventually('the regression is in a cluster', async () => {
    return (await list()).versions[0]!.clusters.some(({ regressed }) => regressed)
  })
  const [newest, oldest] = (await list()).versions
  assert.deepEqual([newest!.version, newest!.failed.of, newest!.comparison?.compared_with], ['v2', 160, 'v1'])
  assert.equal(newest!.comparison?.regressed, true)
  assert.ok(newest!.low < newest!.rate && newest!.rate < newest!.high && newest!.low > oldest!.high)
  assert.deepEqual(
    newest!.clusters.map(({ regressed, label }) => [regressed, label.includes('refund')]).toSorted(),
    [
      [false, false],
      [true, true],
    ],
    JSON.stringify(newest),
  )
  assert.deepEqual([oldest!.version, oldest!.comparison, oldest!.clusters], ['v1', null, []])
  await eventually('both regressions are delivered', () => told('version.regressed').length >= 2)

  // The journal refuses them after a restart; a third version shows that versions were compared again.
  await service.kill()
  await service.restart()
  await service.client.postTrace(run('v3', 0, false, random))
  await commitMore(service, random)
  await eventually('the third version is delivered', () => told('version.regressed').length >= 3)
  const data = told('version.regressed').map((event) => {
    const {
      version,
      compared_with,
      cluster,
      patterns: found,
    } = event.data as {
      version: string
      compared_with: string
      cluster: { label: string } | null
      patterns: FailurePattern[]
    }
    // How many are clear by then depends on how many runs had come when the regression was.
    return [version, compared_with, cluster !== null, found.every(({ effect }) => effect > 0)]
  })
  // A delivery whose answer the kill cut off comes again.
  const ofSecond = new Set(data.filter(([version]) => version === 'v2').map((one) => JSON.stringify(one)))
  const rows = [...ofSecond].toSorted().map((row) => JSON.parse(row) as unknown)
  assert.deepEqual(rows, [
    ['v2', 'v1', false, true],
    ['v2', 'v1', true, true],
  ])
  // By the id of the event: a delivery may come again.
  const patterns = new Map(
    told('cluster.pattern').map(({ id, data: { cluster, pattern: found } }) => {
      const { kind, name, value } = found as FailurePattern
      return [id, JSON.stringify([(cluster as { id: string }).id, kind, name, value])]
    }),
  )
  assert.equal(new Set(patterns.values()).size, patterns.size, 'a pattern is told once')
  assert.deepEqual(
    receiver.received().filter(({ problem }) => problem !== null),
    [],
  )
})

async function commitMore(service: Service, random: Random): Promise<void> {
  for (let at = 0; at < 120; at += 1) await service.client.postTrace(run('v3', 1, true, random))
}
