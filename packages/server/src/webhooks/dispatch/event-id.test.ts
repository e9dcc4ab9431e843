import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventId, isId, type WebhookId } from '@spoor/contract/ids'
import { timeOfId } from '../../lib/ids/ids.ts'
import { idToBytes } from '../../lib/ids/typeid.ts'
import { deliveryIdOf, eventIdAt } from './event-id.ts'

const AT = Date.UTC(2026, 5, 1)
const HOOK = 'wh_01kt1hcg0000000000000000ab' as WebhookId

test('ids never change: receivers recognize an event by its id', () => {
  assert.equal(eventIdAt(1, AT), 'evt_01kt07nv00f39b0jcj7dnsmdxw')
  assert.equal(deliveryIdOf(eventIdAt(1, AT), HOOK, AT), 'dlv_01kt07nv00f00aesx2hhrefg78')
})

test('ids are UUIDv7 of their time, and differ for different events and deliveries', () => {
  const ids = [
    eventIdAt(1, AT),
    eventIdAt(2, AT),
    deliveryIdOf(eventIdAt(1, AT), HOOK, AT),
    deliveryIdOf(eventIdAt(2, AT), HOOK, AT),
    deliveryIdOf(eventIdAt(2, AT), `${HOOK.slice(0, -1)}c` as WebhookId, AT),
    eventIdAt(3, AT + 0.5),
  ]
  for (const id of ids) {
    assert.ok(isId(id.startsWith('evt') ? 'evt' : 'dlv', id))
    assert.equal(timeOfId(id), AT)
    const bytes = idToBytes(id)
    assert.equal((bytes[6] ?? 0) >> 4, 7)
    assert.equal((bytes[8] ?? 0) >> 6, 2)
  }
  assert.equal(new Set(ids.map((id) => id.slice(4))).size, ids.length)
})

test('a time outside the range of ids becomes the nearest in it', () => {
  assert.equal(timeOfId(eventIdAt(1, -5) satisfies EventId), 0)
  assert.equal(timeOfId(eventIdAt(1, 2 ** 50)), 2 ** 48 - 1)
})
