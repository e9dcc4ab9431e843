import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../lib/eventually.ts'
import { createProject } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import { type Place, resendAfterKills, SENDERS, sendTaken, traceOf } from './resend-after-kills.ts'

const ROUNDS = 3

test('requests of each sender that are sent again after kill -9 are stored once, updates find what they update, and the trace is completed once', async () => {
  const environment = { SPOOR_TRACE_QUIET_SECONDS: '1', SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' }
  await using service = await Service.start({ environment })
  const subscriptions = await Subscriptions.of(() => service.client)
  // Nobody listens there: the log of deliveries is what counts.
  const webhook = await subscriptions.create({ url: 'http://127.0.0.1:9/', events: ['trace.completed'] })
  const otlp = { sender: SENDERS.otlp, key: service.key }
  const places: Place[] = [otlp]
  // Each sender has a project of its own, because they name the same traces.
  for (const name of ['langsmith', 'langfuse'] as const)
    places.push({ sender: SENDERS[name], key: (await createProject(service.client, name)).key })
  await resendAfterKills(service, places, ROUNDS)
  await eventually('the trace is complete', async () => {
    const trace = (await service.client.get(`/v1/traces/${traceOf(0)}`)).json<{ growing: boolean }>()
    return !trace.growing && (await subscriptions.deliveries(webhook)).length > 0
  })
  await sendTaken(service, otlp, ROUNDS, 'end')
  await service.restart()
  const whole = await service.client.postTrace({ name: 'whole', steps: [{ name: 'a' }] })
  assert.equal(whole.status, 202)
  // Events are dispatched in order.
  await eventually('the event of the second trace', async () => (await subscriptions.deliveries(webhook)).length > 1)
  assert.equal((await subscriptions.deliveries(webhook)).length, 2)
})
