import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

interface Change {
  readonly at: string
  readonly to: string
  readonly value: number | null
  readonly samples: number
}

/** With crossings reported within a second. */
const INTERVAL_MS = 800
const DEFINITION = {
  source: { kind: 'metric', metric: 'solved' },
  aggregation: 'pass_rate',
  window_seconds: 3600,
  comparison: 'lt',
  threshold: 0.5,
  resolve_threshold: 0.7,
  min_samples: 4,
}

/** Calls whichever process of the service runs. */
function watch(service: Service) {
  const post = (path: string, body: object) =>
    service.client.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    async make<T>(path: string, body: object, status = 201): Promise<T> {
      const answer = await post(path, body)
      assert.equal(answer.status, status, answer.text)
      return answer.json<T>()
    },
    /** All with the same `at`, so that each evaluation sees all of them or none. */
    async judge(traceId: string, count: number, passed: boolean): Promise<void> {
      const event = { name: 'solved', trace_id: traceId, passed, at: new Date().toISOString() }
      const answer = await post(
        '/v1/metrics/events',
        Array.from({ length: count }, () => event),
      )
      assert.equal(answer.status, 200, answer.text)
    },
    async monitor(id: string) {
      const answer = await service.client.get(`/v1/monitors/${id}`)
      return answer.json<{ state: string; last_samples: number | null; last_value: number | null }>()
    },
    async history(id: string): Promise<readonly Change[]> {
      const answer = await service.client.get(`/v1/monitors/${id}/history`)
      assert.equal(answer.status, 200, answer.text)
      return answer.json<{ history: Change[] }>().history.toReversed()
    },
  }
}

test('a monitor on the pass rate fires and resolves once each while events are sent, whenever the service is killed', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = watch(service)
  const startTime = new Date().toISOString()
  await world.make('/v1/metrics', { name: 'solved', kind: 'boolean' })
  const trace = await world.make<{ id: string }>('/v1/traces', { name: 'judged' }, 202)
  const { id } = await world.make<{ id: string }>('/v1/monitors', { name: 'pass rate', ...DEFINITION })
  const killAndStart = async () => {
    await service.kill()
    await service.start()
  }

  await world.judge(trace.id, 3, false)
  await eventually('three samples', async () => (await world.monitor(id)).last_samples === 3)
  assert.equal((await world.monitor(id)).state, 'normal', 'three samples are too few')

  await world.judge(trace.id, 1, true)
  await killAndStart()
  await eventually('fired', async () => (await world.monitor(id)).state === 'fired')
  await killAndStart()
  assert.equal((await world.monitor(id)).state, 'fired')

  await world.judge(trace.id, 4, true)
  await eventually('eight samples', async () => (await world.monitor(id)).last_samples === 8)
  assert.equal((await world.monitor(id)).state, 'fired', '0.625 is between the thresholds')

  await world.judge(trace.id, 4, true)
  await eventually('resolved', async () => (await world.monitor(id)).state === 'normal')
  await killAndStart()

  const history = await world.history(id)
  assert.deepEqual(
    history.map(({ to, value, samples }) => ({ to, value, samples })),
    [
      { to: 'fired', value: 0.25, samples: 4 },
      { to: 'normal', value: 0.75, samples: 12 },
    ],
  )
  const preview = await world.make<{ transitions: Change[] }>(
    '/v1/monitors/preview',
    { ...DEFINITION, start_time: startTime },
    200,
  )
  assert.deepEqual(
    preview.transitions.map(({ to, value }) => ({ to, value })),
    history.map(({ to, value }) => ({ to, value })),
  )
  for (const [index, { at }] of preview.transitions.entries()) {
    // An event that was committed after the evaluation of its second is in the preview of that second, but changed the
    // monitor in a later one.
    const lateMs = Date.parse(history[index]!.at) - Date.parse(at)
    assert.ok(lateMs >= 0 && lateMs % INTERVAL_MS === 0, `${at} in the preview, ${history[index]!.at} in the history`)
  }
})

test('monitors of traces follow traces that are new, changed and deleted, and continue after a kill', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = watch(service)
  const commit = async () => (await world.make<{ id: string }>('/v1/traces', { name: 'watched' }, 202)).id
  const create = async (measure: string, aggregation: string) => {
    const source = { kind: 'traces', measure }
    const rest = { window_seconds: 3600, comparison: 'gt', threshold: 1000 }
    return (await world.make<{ id: string }>('/v1/monitors', { name: measure, source, aggregation, ...rest })).id
  }
  const monitors = [await create('count', 'count'), await create('error_rate', 'sum')]
  const find = async (count: number, failed: number) =>
    eventually(`${count} traces, ${failed} failed`, async () => {
      const [all, errors] = await Promise.all(monitors.map(async (id) => (await world.monitor(id)).last_value))
      return all === count && (errors ?? 0) === failed
    })

  const ids = [await commit(), await commit(), await commit()]
  await find(3, 0)
  const change = (method: string, id: string | undefined, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    return service.client.call({ method, path: `/v1/traces/${id}`, headers, body: JSON.stringify(body) })
  }
  assert.equal((await change('PATCH', ids[0], { status: 'error' })).status, 200)
  await find(3, 1)
  assert.equal((await change('DELETE', ids[1])).status, 204)
  await find(2, 1)
  await service.kill()
  await service.start()
  await commit()
  await find(3, 1)
  assert.equal((await change('DELETE', ids[0])).status, 204)
  await find(2, 0)
})

test('a monitor of steps fires for each tool by itself; the event names the tool', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = watch(service)
  const call = (tool: string, city: string, status: string) => {
    const id = `call ${city}`
    const content = [{ type: 'tool_call', id, name: tool, arguments: { city } }]
    const answer = [{ type: 'tool_result', tool_call_id: id, result: 'done' }]
    const messages = [
      { role: 'assistant', content },
      { role: 'tool', content: answer },
    ]
    return { name: tool, type: 'tool', status, messages }
  }
  const { id } = await world.make<{ id: string }>('/v1/monitors', {
    name: 'tools',
    source: { kind: 'steps', measure: 'error_rate' },
    filters: { step_type: 'tool', user_id: 'u1', argument: { city: 'Lisbon' } },
    for_each: 'tool',
    aggregation: 'avg',
    window_seconds: 3600,
    comparison: 'gt',
    threshold: 0.5,
  })
  const send = (user: string, steps: readonly object[]) =>
    world.make('/v1/traces', { name: 'run', user_id: user, steps }, 202)
  await send('u1', [call('search', 'Lisbon', 'error'), call('fly', 'Lisbon', 'ok'), call('fly', 'Bern', 'error')])
  await send('u2', [call('fly', 'Lisbon', 'error'), call('fly', 'Lisbon', 'error')])
  const groups = async () => {
    const answer = await service.client.get(`/v1/monitors/${id}`)
    const { groups: found } = answer.json<{ groups: { group: string; state: string; last_samples: number }[] }>()
    return found.map(({ group, state, last_samples: samples }) => `${group} ${state} ${samples}`).join()
  }
  await eventually('search has fired', async () => (await groups()) === 'search fired 1,fly normal 1')
  await send('u1', [call('search', 'Lisbon', 'ok'), call('fly', 'Lisbon', 'error'), call('fly', 'Lisbon', 'error')])
  await eventually('fly instead', async () => (await groups()) === 'fly fired 3,search normal 2')
  const answer = await service.client.get(`/v1/monitors/${id}/history`)
  const { history } = answer.json<{ history: { group: string; to: string }[] }>()
  const changes = history.map(({ group, to }) => `${group} ${to}`)
  assert.equal(changes.pop(), 'search fired')
  assert.deepEqual(changes.toSorted(), ['fly fired', 'search normal'])
})
