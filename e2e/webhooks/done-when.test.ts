import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'
import type { Received } from './received.ts'
import { Receiver } from './receiver.ts'
import { type LoggedDelivery, Subscriptions } from './subscriptions.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const TRACES = 1000
const METRIC_EVENTS = 1000
/** Of both halves together. */
const BATCHES = 20
const MONITOR = {
  name: 'solved',
  source: { kind: 'metric', metric: 'solved' },
  aggregation: 'pass_rate',
  window_seconds: 3600,
  comparison: 'lt',
  threshold: 0.4,
  resolve_threshold: 0.45,
}

test('a receiver that is killed and restarted verifies the events of 1,000 traces, 1,000 metric events and a monitor that fires and resolves; the log agrees', async () => {
  await using receiver = await Receiver.start(SECRET)
  await using service = await Service.start({
    environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8', SPOOR_MONITOR_INTERVAL_SECONDS: '1' },
  })
  const subscriptions = await Subscriptions.of(() => service.client)
  const webhookId = await subscriptions.create({
    url: receiver.url,
    events: ['trace.committed', 'metric.event', 'monitor.fired', 'monitor.resolved'],
    secret: SECRET,
  })
  await post(service, '/v1/metrics', { name: 'solved', kind: 'boolean' }, 201)
  const monitor = await post<{ id: string }>(service, '/v1/monitors', MONITOR, 201)

  const traceIds: string[] = []
  const metricEventIds: string[] = []
  const work = async (batch: number) => {
    for (let n = 0; n < TRACES / BATCHES; n++) {
      const steps = [{ name: 'turn', type: 'llm', model: 'made-up', token_usage: { input: 9, output: 2 } }]
      const answer = await service.client.postTrace({ name: `run ${batch}/${n}`, metadata: { batch }, steps })
      traceIds.push(answer.json<{ id: string }>().id)
    }
    // The first half fails, so that the monitor fires; the second half resolves it.
    const events = Array.from({ length: METRIC_EVENTS / BATCHES }, (_, n) => ({
      name: 'solved',
      trace_id: traceIds.at(-1 - n)!,
      passed: batch >= BATCHES / 2,
    }))
    const { results } = await post<{ results: { event_id: string }[] }>(service, '/v1/metrics/events', events, 200)
    metricEventIds.push(...results.map(({ event_id }) => event_id))
  }
  const stateIs = (state: string) => async () =>
    (await service.client.get(`/v1/monitors/${monitor.id}`)).json<{ state: string }>().state === state

  let started: Promise<void> = Promise.resolve()
  for (let batch = 0; batch < BATCHES; batch++) {
    await work(batch)
    if (batch === BATCHES / 2 - 1) await eventually('fired', stateIs('fired'))
    if (batch % 8 === 3) {
      await started
      await receiver.kill()
      started = sleep(400 + 60 * batch).then(() => receiver.start())
    }
  }
  await started
  await eventually('resolved', stateIs('normal'))
  await eventually('everything is delivered', async () => {
    // Check this first: reading the whole log takes long.
    if (await subscriptions.hasPending(webhookId)) return false
    const deliveries = await subscriptions.deliveries(webhookId)
    const expected = TRACES + METRIC_EVENTS + 2
    assert.ok(deliveries.length <= expected, `${deliveries.length} deliveries`)
    return deliveries.length === expected && deliveries.every(({ status }) => status === 'succeeded')
  })

  const received = receiver.received()
  assert.deepEqual(
    received.filter(({ problem }) => problem !== null),
    [],
    'a signature did not verify',
  )
  const byType = (type: string) =>
    Map.groupBy(
      received.filter((one) => one.type === type),
      ({ eventId }) => eventId,
    )
  const traceOf = (one: Received) => (one.data['trace'] as { id: string }).id
  const metricEventOf = (one: Received) => (one.data['event'] as { id: string }).id
  assert.deepEqual(subjects(byType('trace.committed'), traceOf), traceIds.toSorted())
  assert.deepEqual(subjects(byType('metric.event'), metricEventOf), metricEventIds.toSorted())
  for (const [type, state] of [
    ['monitor.fired', 'fired'],
    ['monitor.resolved', 'normal'],
  ] as const) {
    const [ids] = [[...byType(type).values()]]
    assert.equal(ids.length, 1, type)
    const { data } = ids[0]![0]!
    assert.equal((data['monitor'] as { id: string; state: string }).id, monitor.id)
    assert.equal((data['monitor'] as { id: string; state: string }).state, state)
    assert.equal(typeof data['value'], 'number')
  }
  await compareWithLog(received, await subscriptions.deliveries(webhookId), (id) =>
    subscriptions.attempts(webhookId, id),
  )
  assert.ok(
    received.some(({ attempt }) => attempt > 1),
    'no retry was needed: the test did not test retries',
  )
})

/** One subject for each event id, sorted; repeated requests count once. */
function subjects(byEvent: ReadonlyMap<string, readonly Received[]>, subjectOf: (one: Received) => string): string[] {
  return [...byEvent.values()]
    .map((all) => {
      assert.equal(new Set(all.map(({ bodyHash }) => bodyHash)).size, 1, 'an event was sent with different bytes')
      assert.equal(new Set(all.map(({ deliveryId }) => deliveryId)).size, 1, 'an event was sent as two deliveries')
      assert.ok(all.every(({ id, eventId }) => id === eventId))
      return subjectOf(all[0]!)
    })
    .toSorted()
}

/**
 * Each received attempt is in the log with its number, as a success unless the receiver was killed before it answered.
 */
async function compareWithLog(
  received: readonly Received[],
  deliveries: readonly LoggedDelivery[],
  attemptsOf: (deliveryId: string) => Promise<readonly { readonly number: number; readonly response: unknown }[]>,
): Promise<void> {
  const byDelivery = Map.groupBy(received, ({ deliveryId }) => deliveryId)
  assert.deepEqual(deliveries.map(({ id }) => id).toSorted(), [...byDelivery.keys()].toSorted())
  for (const delivery of deliveries) {
    const all = byDelivery.get(delivery.id)!
    assert.equal(delivery.event_id, all[0]!.eventId)
    assert.equal(delivery.event, all[0]!.type)
    const last = Math.max(...all.map(({ attempt }) => attempt))
    assert.equal(
      delivery.attempt_count,
      last,
      `${delivery.id}: the log has ${delivery.attempt_count}, the receiver ${last}`,
    )
    if (last === 1) continue
    const attempts = await attemptsOf(delivery.id)
    assert.deepEqual(
      attempts.map(({ number }) => number),
      Array.from({ length: last }, (_, at) => at + 1),
    )
    assert.deepEqual(attempts.map(({ response }) => response !== null).lastIndexOf(false), last - 2)
  }
}

async function post<T>(service: Service, path: string, body: object, status: number): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const answer = await service.client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, status, answer.text)
  return answer.json<T>()
}
