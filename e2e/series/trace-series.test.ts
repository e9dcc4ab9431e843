import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../lib/client.ts'
import { Service } from '../lib/service.ts'

const TRACES = 60

interface Sent {
  readonly runType: string
  readonly task: string
  readonly model: string | null
  readonly tokens: number
  readonly durationMs: number
  failed: boolean
}

interface Point {
  readonly group: string | null
  readonly count: number
  readonly error_rate?: number
  readonly sum?: number
  readonly max?: number
}

/** Traces that differ in everything that a series distinguishes. */
async function fill(client: Client): Promise<Map<string, Sent>> {
  const sent = new Map<string, Sent>()
  for (let n = 0; n < TRACES; n++) {
    const trace: Sent = {
      runType: n % 3 === 0 ? 'eval' : 'agent',
      task: `task ${n % 4}`,
      model: n % 5 === 0 ? null : `model-${n % 2}`,
      tokens: 100 + 7 * n,
      durationMs: 10 * n,
      failed: n % 6 === 0,
    }
    const start = Date.UTC(2026, 0, 1)
    const answer = await client.postTrace({
      name: 'flow',
      run_type: trace.runType,
      metadata: { task: trace.task },
      ...(trace.failed ? { status: 'error' } : {}),
      started_at: new Date(start).toISOString(),
      ended_at: new Date(start + trace.durationMs).toISOString(),
      steps: [
        {
          name: 'call',
          ...(trace.model === null ? {} : { model: trace.model }),
          token_usage: { input: trace.tokens - 10, output: 10 },
        },
      ],
    })
    assert.equal(answer.status, 202, answer.text)
    sent.set(answer.json<{ id: string }>().id, trace)
  }
  return sent
}

async function pointsOf(client: Client, query: string): Promise<readonly Point[]> {
  const answer = await client.get(`/v1/traces/series?bucket=5200w&${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ points: Point[] }>().points
}

/** By group; one bucket, until 2069, contains everything. */
function byGroup(traces: readonly Sent[], group: (trace: Sent) => string | null): Map<string | null, Sent[]> {
  return Map.groupBy(traces, group)
}

async function checkAll(client: Client, traces: readonly Sent[]): Promise<void> {
  const groupings: Readonly<Record<string, (trace: Sent) => string | null>> = {
    run_type: (trace) => trace.runType,
    model: (trace) => trace.model,
    status: (trace) => (trace.failed ? 'error' : 'ok'),
    'metadata.task': (trace) => trace.task,
  }
  for (const [by, group] of Object.entries(groupings)) {
    const expected = byGroup(traces, group)
    for (const measure of ['error_rate', 'total_tokens', 'duration_ms']) {
      const points = await pointsOf(client, `measure=${measure}&group_by=${by}`)
      assert.deepEqual(new Set(points.map((point) => point.group)), new Set(expected.keys()), by)
      for (const point of points) {
        const members = expected.get(point.group) as Sent[]
        assert.equal(point.count, members.length)
        if (measure === 'error_rate') {
          assert.equal(point.error_rate, members.filter(({ failed }) => failed).length / members.length)
        } else if (measure === 'total_tokens') {
          assert.equal(
            point.sum,
            members.reduce((sum, { tokens }) => sum + tokens, 0),
          )
        } else {
          assert.equal(point.max, Math.max(...members.map(({ durationMs }) => durationMs)))
        }
      }
    }
  }
  const [eval_] = await pointsOf(client, 'measure=count&run_type=eval&meta_key=task&meta_value=task%201')
  const passing = traces.filter(({ runType, task }) => runType === 'eval' && task === 'task 1')
  assert.equal(eval_?.count, passing.length)
}

test('series of traces equal what the next request reads: after commits, changes, deletions and a kill', async () => {
  await using service = await Service.start()
  const sent = await fill(service.client)
  await checkAll(service.client, [...sent.values()])

  for (const [id, trace] of [...sent].slice(0, 20)) {
    const change = { method: 'PATCH', path: `/v1/traces/${id}`, headers: { 'content-type': 'application/json' } }
    const answer = await service.client.call({ ...change, body: `{"status":"${trace.failed ? 'ok' : 'error'}"}` })
    assert.equal(answer.status, 200, answer.text)
    trace.failed = !trace.failed
  }
  for (const id of [...sent.keys()].slice(10, 25)) {
    assert.equal((await service.client.call({ method: 'DELETE', path: `/v1/traces/${id}` })).status, 204)
    sent.delete(id)
  }
  await checkAll(service.client, [...sent.values()])

  await service.kill()
  await service.start()
  await checkAll(service.client, [...sent.values()])
})
