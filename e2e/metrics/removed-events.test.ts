import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Service } from '../lib/service.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const BUCKET = 'bucket=1w'

/** What reads show of one metric, but for the times of the answers. */
const READS = [
  '/v1/metrics/events',
  '/v1/traces?metric=score&max_value=0',
  '/v1/traces?without_metric=score',
  '/v1/traces?metric_values=score',
  `/v1/metrics/score/series?${BUCKET}`,
  `/v1/traces/series?measure=metric.score&${BUCKET}`,
  `/v1/traces/series?measure=count&group_by=metric.solved&${BUCKET}`,
  `/v1/traces/series?measure=count&metric=score&max_value=0&${BUCKET}`,
]

test('a removed score counts nowhere, from the next request on and after a kill, and can be replaced', async () => {
  await using service = await Service.start()
  const call = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const answer = await service.client.call({
      method,
      path,
      ...(body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) }),
    })
    assert.ok(answer.status < 300, answer.text)
    return answer.text === '' ? { id: '' } : answer.json<{ id: string }>()
  }
  const shown = async () => {
    const times = new Set(['start_time', 'end_time'])
    const answers = await Promise.all([...READS, `/v1/traces/${wrong}`].map((path) => service.client.get(path)))
    return answers.map(({ status, text }) => {
      assert.equal(status, 200, text)
      return JSON.parse(text, (key, value: unknown) => (times.has(key) ? undefined : value)) as unknown
    })
  }
  await call('POST', '/v1/metrics', { name: 'score', kind: 'numeric' })
  await call('POST', '/v1/metrics', { name: 'solved', kind: 'boolean' })
  const [{ id: right }, { id: wrong }] = [
    await call('POST', '/v1/traces', { name: 'right' }),
    await call('POST', '/v1/traces', { name: 'wrong' }),
  ]
  await call('POST', '/v1/metrics/events', { name: 'score', trace_id: right, value: 3 })
  await call('POST', '/v1/metrics/events', { name: 'solved', trace_id: right, passed: true })
  const without = await shown()

  const bad = { name: 'score', trace_id: wrong, value: -5, idempotency_key: 'judge' }
  const events = [
    await call('POST', '/v1/metrics/events', bad),
    await call('POST', '/v1/metrics/events', { name: 'solved', trace_id: wrong, passed: false }),
  ]
  // Buckets are kept from here on.
  const withThem = await shown()
  without.forEach((answer, at) => assert.notDeepEqual(withThem[at], answer, READS[at]))

  for (const { id } of events) await call('DELETE', `/v1/metrics/events/${id}`)
  assert.deepEqual(await shown(), without)
  await service.kill()
  await service.start()
  assert.deepEqual(await shown(), without)

  await call('POST', '/v1/metrics/events', { ...bad, value: 5 })
  const { events: listed } = (await service.client.get('/v1/metrics/events?name=score')).json<{
    events: { value: number }[]
  }>()
  assert.deepEqual(
    listed.map(({ value }) => value),
    [5, 3],
  )
})
