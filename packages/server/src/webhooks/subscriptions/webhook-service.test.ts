import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { DRAFT, NOON, WebhookWorld } from './webhook-world.test-support.ts'

const OWN: ProjectId = createIdGenerator({ now: () => NOON }, systemRandomBytes).newId('proj')
const HOUR = 3_600_000

async function worldWithOne() {
  const world = new WebhookWorld()
  world.head = 41
  const { webhook } = await world.useCases.create(OWN, DRAFT)
  return { world, ...world, webhook, id: webhook.id }
}

test('a webhook gets the events committed after it was created, or after it was enabled again', async () => {
  const { world, useCases, id, webhook } = await worldWithOne()
  assert.equal(webhook.sincePosition, 41)
  world.head = 50
  const disabled = await useCases.change(OWN, id, { enabled: false })
  assert.deepEqual(
    [disabled.disabledReason, disabled.disabledAt, disabled.sincePosition],
    ['by_request', world.now, 41],
  )
  assert.deepEqual(world.forgotten, [])
  world.head = 60
  const enabled = await useCases.change(OWN, id, { enabled: true, description: 'x' })
  assert.deepEqual([enabled.disabledReason, enabled.disabledAt, enabled.sincePosition], [null, null, 60])
  assert.deepEqual(world.forgotten, [id])
  world.head = 70
  assert.equal((await useCases.change(OWN, id, { enabled: true })).sincePosition, 60)
})

test('a webhook that the service disabled keeps the reason until it is enabled', async () => {
  const { world, useCases, id, webhook } = await worldWithOne()
  assert.ok(await world.store.disable(id, webhook.updatedAt, 'no_success', NOON + 1))
  assert.equal((await useCases.change(OWN, id, { enabled: false })).disabledReason, 'no_success')
  assert.equal((await useCases.change(OWN, id, { enabled: true })).disabledReason, null)
})

test('every change has its own update time, and a change without effect leaves it', async () => {
  const { world, useCases, id, webhook } = await worldWithOne()
  const same = { url: DRAFT.url, events: DRAFT.events, description: '', enabled: true }
  assert.deepEqual(await useCases.change(OWN, id, same), webhook)
  const first = await useCases.change(OWN, id, { description: 'one' })
  const second = await useCases.change(OWN, id, { description: 'two' })
  assert.ok(webhook.updatedAt < first.updatedAt && first.updatedAt < second.updatedAt)
  assert.equal(await world.store.disable(id, first.updatedAt, 'gone', NOON), false)
})

test('another URL forgets the failures of the previous one', async () => {
  const { world, useCases, id } = await worldWithOne()
  await useCases.change(OWN, id, { events: ['trace.flagged'] })
  assert.deepEqual(world.forgotten, [])
  await useCases.change(OWN, id, { url: 'https://b.test/' })
  assert.deepEqual(world.forgotten, [id])
})

test('the previous secret signs for 24 hours, and its end is shown until then', async () => {
  const { world, useCases, id } = await worldWithOne()
  const { webhook, secret } = await useCases.rotateSecret(OWN, id, null)
  assert.equal(webhook.previousSecretUntil, NOON + 24 * HOUR)
  assert.match(String(secret), /^whsec_/)
  assert.deepEqual((await world.store.findSigned(id, world.now))?.secrets, [secret, DRAFT.secret])
  world.now += 24 * HOUR
  assert.equal((await useCases.find(OWN, id)).previousSecretUntil, null)
  assert.deepEqual((await world.store.findSigned(id, world.now))?.secrets, [secret])
  assert.equal((await useCases.rotateSecret(OWN, id, 'another secret of own')).secret, null)
})

test('deletion cancels pending deliveries in batches, and succeeds even if that fails', async () => {
  const { world, useCases, id } = await worldWithOne()
  const last = Array.from({ length: 1200 }, () => world.dispatch(OWN, id)).at(-1)
  await useCases.remove(OWN, id)
  assert.ok(last)
  assert.equal((await world.deliveries.log.find(id, last))?.status, 'cancelled')
  assert.equal(world.pauses, 2)
  const again = await worldWithOne()
  again.world.deliveries.state.before = () => {
    throw new DomainError('storage_unavailable', 'Locked.')
  }
  await again.useCases.remove(OWN, again.id)
  assert.equal(again.world.errors.length, 1)
  await assert.rejects(again.useCases.find(OWN, again.id), { code: 'not_found' })
})

test('a ping is one delivery with a body of its own, sent now', async () => {
  const { world, useCases, id } = await worldWithOne()
  const ping = await useCases.ping(OWN, id)
  assert.deepEqual([ping.eventType, ping.status, ping.nextAttemptAt], ['ping', 'pending', NOON])
  const { body } = await useCases.findDelivery(OWN, id, ping.id)
  assert.deepEqual(JSON.parse(body), {
    id: ping.eventId,
    type: 'ping',
    timestamp: '2026-03-03T12:00:00.000Z',
    project_id: OWN,
    data: { webhook_id: id },
  })
  assert.deepEqual([world.urgent, world.wakes], [[ping.id], 0])
  assert.notEqual((await useCases.ping(OWN, id)).eventId, ping.eventId)
})

test('failed deliveries since a time are redelivered in batches, until the webhook is disabled', async () => {
  const { world, useCases, id } = await worldWithOne()
  const fail = () => world.end(world.dispatch(OWN, id), 500)
  fail()
  world.now += HOUR
  for (let i = 0; i < 1200; i++) fail()
  world.end(world.dispatch(OWN, id), 200)
  assert.equal(await useCases.redeliverFailed(OWN, id, NOON + 1), 1200)
  assert.deepEqual([world.pauses, world.wakes], [2, 3])
  assert.equal(await useCases.redeliverFailed(OWN, id, 0), 1)
  await useCases.change(OWN, id, { enabled: false })
  await assert.rejects(useCases.redeliverFailed(OWN, id, 0), { code: 'webhook_disabled' })
})

test('the shown time of the next attempt is not before the end of the back-off, and never in the past', async () => {
  const { world, useCases, id } = await worldWithOne()
  const deliveryId = world.dispatch(OWN, id)
  const request = { limit: 9, cursor: null, eventType: null, status: null, startTime: null, endTime: null }
  const next = async () => {
    const [listed] = (await useCases.deliveries(OWN, id, request)).items
    const found = await useCases.findDelivery(OWN, id, deliveryId)
    assert.equal(listed?.nextAttemptAt, found.nextAttemptAt)
    return found.nextAttemptAt
  }
  assert.equal(await next(), NOON)
  world.now += HOUR
  assert.equal(await next(), NOON + HOUR)
  world.heldUntil = NOON + HOUR + 45_000
  assert.equal(await next(), NOON + HOUR + 45_000)
  // A redelivery does not wait for the back-off.
  assert.equal((await useCases.redeliver(OWN, id, deliveryId)).nextAttemptAt, NOON + HOUR)
  assert.deepEqual(world.urgent, [deliveryId])
  await useCases.change(OWN, id, { enabled: false })
  assert.equal(await next(), null)
  await useCases.change(OWN, id, { enabled: true })
  world.end(deliveryId, 500)
  assert.equal(await next(), null)
})
