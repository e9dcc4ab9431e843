import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailurePatterns } from '@spoor/contract/schemas/traces/failure-patterns'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import type { Received } from '../webhooks/received.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import { discover, listClusters } from './discoveries.ts'
import { TOPIC_COUNT, topicTrace } from './topic-traces.ts'

const SECRET = 'a secret of nobody else'
const FAILING_TOPIC = 2

test('clusters match the topics and keep their ids while traces arrive; a receiver gets one event for each new one', async () => {
  const random = createRandom(20_261_122)
  await using receiver = await Receiver.start(SECRET)
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1' } })
  const { client } = service
  const subscriptions = await Subscriptions.of(() => service.client)
  const webhookId = await subscriptions.create({
    url: receiver.url,
    events: ['cluster.created', 'cluster.shifted', 'cluster.pattern'],
    secret: SECRET,
  })
  const commit = async (topic: number, count: number) => {
    for (let n = 0; n < count; n++) {
      const failed = topic === FAILING_TOPIC ? random.chance(0.8) : random.chance(0.1)
      const answer = await client.postTrace(topicTrace(topic, random, failed))
      assert.equal(answer.status, 202, answer.text)
    }
  }
  const topics = Array.from({ length: TOPIC_COUNT - 1 }, (_, topic) => topic)
  for (const topic of topics) await commit(topic, 30)

  const first = await discover(client)
  assert.equal(first.result?.created, topics.length)
  const found = await listClusters(client)
  const topicOf = new Map<string, number>()
  for (const { id, size, label } of found) {
    const members = await walkFeed(client, { cluster: id })
    const [topic, ...others] = new Set(members.map(({ metadata }) => (metadata as { topic: number }).topic))
    assert.deepEqual([members.length, others], [size, []], label)
    topicOf.set(id, topic!)
  }
  assert.deepEqual([...topicOf.values()].toSorted(), topics)
  assert.deepEqual(
    found.filter(({ color }) => color === 'fail').map(({ id }) => topicOf.get(id)),
    [FAILING_TOPIC],
  )

  for (const topic of topics) await commit(topic, 8)
  const second = await discover(client)
  assert.deepEqual([second.result?.traces, second.result?.created, second.result?.shifted], [190, 0, 0])
  const ids = (clusters: readonly { id: string }[]) => clusters.map(({ id }) => id).toSorted()
  assert.deepEqual(ids(await listClusters(client)), ids(found))

  await commit(TOPIC_COUNT - 1, 40)
  const third = await discover(client)
  assert.equal(third.result?.created, 1, JSON.stringify(third))
  const now = await listClusters(client)
  assert.deepEqual(
    ids(found).filter((id) => !now.some((cluster) => cluster.id === id)),
    [],
  )

  const created = () => receiver.received().filter(({ type }) => type === 'cluster.created')
  await eventually('the receiver has heard of all', () => created().length >= TOPIC_COUNT)
  assert.deepEqual(
    receiver.received().filter(({ problem }) => problem !== null),
    [],
  )
  assert.deepEqual(created().map(clusterOf).toSorted(), ids(now))
  // A delivery is marked as succeeded after its response, so after the receiver has got it.
  await eventually('the log says that all succeeded', async () => {
    const log = await subscriptions.deliveries(webhookId, '&event=cluster.created')
    return log.length === now.length && log.every(({ status }) => status === 'succeeded')
  })

  // All traces of a cause failed: its patterns compare them with those that did not.
  await discover(client, { kind: 'failures' })
  const [cause] = await listClusters(client, '?kind=failures')
  const { patterns, failed, ok } = (await client.get(`/v1/clusters/${cause!.id}/patterns`)).json<FailurePatterns>()
  assert.deepEqual([failed, ok > 100, patterns.length > 0], [cause!.size, true, true])
  const { kind, name, value, effect } = patterns[0]!
  assert.deepEqual([kind, name, value, effect > 0], ['metadata', 'topic', String(FAILING_TOPIC), true])
  await eventually('the pattern of the cause is delivered', () =>
    receiver.received().some((event) => event.type === 'cluster.pattern' && clusterOf(event) === cause!.id),
  )
})

function clusterOf({ data }: Received): string {
  return (data as { cluster: { id: string } }).cluster.id
}
