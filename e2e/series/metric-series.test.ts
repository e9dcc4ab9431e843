import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client } from '../lib/client.ts'
import { Service } from '../lib/service.ts'

const MINUTE_MS = 60_000
const END = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
const SPAN = new URLSearchParams({
  start_time: new Date(END - 1440 * MINUTE_MS).toISOString(),
  end_time: new Date(END).toISOString(),
  bucket: '1m',
}).toString()
const TRACES = 6
const WRITERS = 3
const BATCHES = 30
const EVENTS = 5

interface Sent {
  readonly traceId: string
  readonly at: number
  readonly value: number
}

interface Point {
  readonly at: string
  readonly count: number
  readonly avg: number
  readonly max: number
}

async function send(client: Client, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer
}

async function look(client: Client): Promise<readonly Point[]> {
  const answer = await client.get(`/v1/metrics/latency/series?${SPAN}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ points: Point[] }>().points
}

function countOf(points: readonly Point[]): number {
  return points.reduce((sum, { count }) => sum + count, 0)
}

function assertEqual(points: readonly Point[], events: readonly Sent[]): void {
  const byMinute = Map.groupBy(events, ({ at }) => Math.floor(at / MINUTE_MS) * MINUTE_MS)
  const expected = [...byMinute].sort(([a], [b]) => a - b)
  assert.deepEqual(
    points.map(({ at, count, max }) => [Date.parse(at), count, max]),
    expected.map(([at, of]) => [at, of.length, Math.max(...of.map(({ value }) => value))]),
  )
  for (const [index, [, of]] of expected.entries()) {
    const average = of.reduce((sum, { value }) => sum + value, 0) / of.length
    assert.ok(Math.abs((points[index]?.avg ?? Number.NaN) - average) < 1e-9)
  }
}

test('a series that is read again and again never lacks what was acknowledged, and is exact in the end, before and after a kill', async () => {
  await using service = await Service.start()
  const { client } = service
  await send(client, '/v1/metrics', { name: 'latency', kind: 'numeric' })
  const traceIds: string[] = []
  for (let n = 0; n < TRACES; n++) traceIds.push((await client.postTrace({ name: 'run' })).json<{ id: string }>().id)

  const acknowledged: Sent[] = []
  let sent = 0
  const write = async (writer: number) => {
    for (let batch = 0; batch < BATCHES; batch++) {
      // Mostly of the last minutes, as in practice; some late.
      const events = Array.from({ length: EVENTS }, (_, index): Sent => {
        const n = (writer * BATCHES + batch) * EVENTS + index
        const back = n % 4 === 0 ? (n * 7919) % 1439 : n % 3
        const traceId = traceIds[n % TRACES] as string
        return { traceId, at: END - back * MINUTE_MS - 1 - ((n * 31) % MINUTE_MS), value: n }
      })
      sent += EVENTS
      const answer = await send(
        client,
        '/v1/metrics/events',
        events.map(({ traceId, at, value }) => ({
          name: 'latency',
          trace_id: traceId,
          value,
          at: new Date(at).toISOString(),
        })),
      )
      const { results } = answer.json<{ results: { status: string }[] }>()
      for (const { status } of results) assert.equal(status, 'created', answer.text)
      acknowledged.push(...events)
    }
  }
  let looks = 0
  const follow = async (until: AbortSignal) => {
    while (!until.aborted) {
      const least = acknowledged.length
      const count = countOf(await look(client))
      looks += 1
      assert.ok(count >= least && count <= sent, `${count} where ${least} were acknowledged and ${sent} sent`)
    }
  }
  const written = new AbortController()
  const followers = Promise.all([follow(written.signal), follow(written.signal)])
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => written.abort())
  await followers
  assert.ok(looks > 2, `${looks} looks`)
  assertEqual(await look(client), acknowledged)

  const [gone] = traceIds
  assert.equal((await client.call({ method: 'DELETE', path: `/v1/traces/${gone}` })).status, 204)
  const left = acknowledged.filter(({ traceId }) => traceId !== gone)
  assertEqual(await look(client), left)
  await service.kill()
  await service.start()
  assertEqual(await look(service.client), left)
})
