import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterDetail, ClusterList } from '@spoor/contract/schemas/cluster'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import type { Client } from '../lib/client.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { discover } from './discoveries.ts'
import { topicTrace } from './topic-traces.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const TOPICS = [0, 1, 2]
const EACH = 25
const BAD_TOPIC = 1
const THREE = { k_min: 3, k_max: 3 }

const send = (client: Client, method: string, path: string, body: object) =>
  client.call({ method, path, headers: JSON_BODY, body: JSON.stringify(body) })

async function listed(client: Client): Promise<ClusterList> {
  return (await client.get('/v1/clusters')).json<ClusterList>()
}

/** Commits traces that all have the status ok; those of one topic have no reward. Returns their ids by topic. */
async function commitTraces(client: Client): Promise<ReadonlyMap<number, readonly string[]>> {
  const random = createRandom(7)
  for (const topic of TOPICS) {
    for (let n = 0; n < EACH; n++) {
      const trace = { ...topicTrace(topic, random), metadata: { topic, reward: topic === BAD_TOPIC ? 0.0 : 1.0 } }
      assert.equal((await client.postTrace(trace)).status, 202)
    }
  }
  const { traces } = (await client.get('/v1/traces?limit=200')).json<TraceFeed>()
  const topicOf = (trace: TraceFeed['traces'][number]) => (trace.metadata as { topic: number }).topic
  return new Map([...Map.groupBy(traces, topicOf)].map(([topic, own]) => [topic, own.map(({ id }) => id)]))
}

test('clusters show typical requests, are renamed for good, and fail by a metric or metadata', async () => {
  await using service = await Service.start()
  const { client } = service
  const idsOf = await commitTraces(client)
  await discover(client, THREE)
  const plain = await listed(client)
  assert.deepEqual(
    plain.clusters.map(({ error_rate: rate }) => rate),
    [0, 0, 0],
  )
  for (const { typical_request: request } of plain.clusters) assert.match(request ?? '', /^Please help with /)

  assert.equal((await send(client, 'POST', '/v1/clusters/discover', { failure_by: 'metric:solved' })).status, 422)
  assert.equal((await send(client, 'POST', '/v1/metrics', { name: 'solved', kind: 'boolean' })).status, 201)
  const begin = Date.now() - 60_000
  // The last event of each trace counts; a third of all traces has none.
  for (const topic of [0, BAD_TOPIC]) {
    for (const id of idsOf.get(topic)!) {
      for (const [hour, passed] of [
        [1, topic === BAD_TOPIC],
        [2, topic !== BAD_TOPIC],
      ] as const) {
        const at = new Date(begin + hour * 1000).toISOString()
        const event = { name: 'solved', trace_id: id, passed, at }
        const answer = await send(client, 'POST', '/v1/metrics/events', event)
        assert.ok(answer.status < 300, answer.text)
      }
    }
  }
  for (const failureBy of ['metric:solved', 'metadata:reward=0']) {
    await discover(client, { ...THREE, failure_by: failureBy })
    const { clusters, failure_by: used } = await listed(client)
    assert.equal(used, failureBy)
    const failing = clusters.filter(({ color }) => color === 'fail')
    assert.deepEqual(
      failing.map(({ error_rate: rate, typical_request: request }) => [rate, request?.includes('translate')]),
      [[1, true]],
      failureBy,
    )
    assert.deepEqual(clusters.map(({ error_rate: rate }) => rate).toSorted(), [0, 0, 1], failureBy)
    const judged = clusters.map(({ size, judged: known }) => known / size).toSorted()
    assert.deepEqual(judged, failureBy === 'metric:solved' ? [0, 1, 1] : [1, 1, 1])
  }
  const daily = { enabled: true, every_hours: 24, failure_by: 'metric:solved' }
  assert.equal((await send(client, 'PUT', '/v1/clusters/schedule', daily)).status, 200)

  const [first] = plain.clusters
  const path = `/v1/clusters/${first!.id}`
  assert.equal((await send(client, 'PATCH', path, { label: 'Named by hand' })).status, 200)
  await discover(client, THREE)
  await service.restart()
  const { cluster, representative_traces: typical } = (await service.client.get(path)).json<ClusterDetail>()
  assert.deepEqual([cluster.label, cluster.automatic_label], ['Named by hand', first!.label])
  assert.ok(typical.length >= 3)
  for (const { request } of typical.slice(0, 3)) assert.match(request ?? '', /^Please help with /)
  assert.equal(
    (await service.client.get('/v1/clusters/schedule')).json<{ failure_by: string }>().failure_by,
    'metric:solved',
  )
  const reset = await send(service.client, 'PATCH', path, { label: null })
  assert.equal(reset.json<ClusterDetail>().cluster.label, first!.label)
})
