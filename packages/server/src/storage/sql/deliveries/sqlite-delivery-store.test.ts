import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import {
  deliveryOf,
  eventOf,
  fail,
  hookOf,
  HOUR,
  idOf,
  leaseAll,
  NOW,
  succeed,
} from '../../../ports/webhooks/delivery-builders.test-support.ts'
import type { DueDelivery } from '../../../ports/webhooks/delivery.ts'
import { openDeliveryStore } from './open-delivery-store.ts'
import { temporaryDeliveryFolder, temporaryDeliveryStore } from './temporary-delivery-store.test-support.ts'

const LATER = NOW + HOUR
const all = { eventType: null, status: null, startTime: null, endTime: null, after: null, limit: 1000 }

test('a reopened store has the same content and no leases', async () => {
  const dataDir = temporaryDeliveryFolder()
  const first = temporaryDeliveryStore(dataDir)
  await first.intake.add([eventOf(1, [1, 2]), eventOf(2, [2]), eventOf(3, [2], { createdAt: NOW - HOUR })], 3)
  const [one] = (await leaseAll(first.queue, 1, LATER)) as [DueDelivery]
  await first.queue.finish([fail(one, LATER)])
  await leaseAll(first.queue, 2, LATER)
  const health = await first.queue.health(hookOf(1))
  assert.equal(health.failuresInARow, 1)
  const ranges = [NOW - HOUR, NOW, NOW + 2].map((endTime) => Object.assign({}, all, { endTime, webhookId: hookOf(2) }))
  const listed = await Promise.all(ranges.map((range) => first.log.list(range)))
  first.close()
  const { queue, intake, log } = temporaryDeliveryStore(dataDir)
  assert.equal(await intake.position(), 3)
  assert.deepEqual(await queue.health(hookOf(1)), health)
  assert.equal(await queue.pendingCount(), 4)
  assert.equal(await queue.nextDueAt(), NOW - HOUR)
  assert.deepEqual(await queue.dueWebhooks(LATER, null, 9), [hookOf(2)])
  assert.equal((await leaseAll(queue, 2, LATER)).length, 3)
  assert.deepEqual(await Promise.all(ranges.map((range) => log.list(range))), listed)
  await intake.add([eventOf(4, [2], { createdAt: NOW - 2 * HOUR })], 4)
  assert.equal((await log.list({ ...all, webhookId: hookOf(2) }))[0]?.id, deliveryOf(4, 2))
})

test('its files are readable by their owner only, and a file of another program is rejected', () => {
  const dataDir = temporaryDeliveryFolder()
  temporaryDeliveryStore(dataDir)
  for (const suffix of ['', '-wal', '-shm']) {
    assert.equal(statSync(join(dataDir, `deliveries.db${suffix}`)).mode & 0o777, 0o600)
  }
  const foreign = temporaryDeliveryFolder()
  const database = new DatabaseSync(join(foreign, 'deliveries.db'))
  database.exec('CREATE TABLE bookmarks (url TEXT)')
  database.close()
  assert.throws(() => openDeliveryStore({ box: TEST_BOX, dataDir: foreign, clock: systemClock }), OperatorError)
})

test('a file with many free pages shrinks', async () => {
  const { queue, intake, log, sizeBytes } = temporaryDeliveryStore()
  const body = 'x'.repeat(10_000)
  for (let number = 1; number <= 600; number++) await intake.add([eventOf(number, [1], { body })], number)
  const largest = sizeBytes()
  assert.ok(largest > 6_000_000)
  await queue.finish((await leaseAll(queue, 1, LATER)).map((delivery) => succeed(delivery, LATER)))
  for (let round = 0; round < 20; round++) await log.prune(LATER + HOUR, 200)
  assert.ok(sizeBytes() < largest / 3, `${sizeBytes()} of ${largest}`)
})

test('a failing disk is reported as storage_unavailable, its cause to the operator, and nothing changes', async (context) => {
  const causes: unknown[] = []
  const store = openDeliveryStore({
    box: TEST_BOX,
    dataDir: temporaryDeliveryFolder(),
    clock: systemClock,
    onReadError: (error) => causes.push(error),
  })
  context.after(() => store.close())
  const { queue, intake, log } = store
  await intake.add([eventOf(1), eventOf(2)], 2)
  const [held] = (await queue.lease(hookOf(1), LATER, LATER + HOUR, { limit: 1, maxBytes: 1 })).deliveries as [
    DueDelivery,
  ]
  const busy = Object.assign(new Error('database is locked'), { errcode: 5 })
  const mocks = (['get', 'all', 'run'] as const).map((method) =>
    context.mock.method(StatementSync.prototype, method, () => {
      throw busy
    }),
  )
  const uses: readonly (() => Promise<unknown>)[] = [
    () => queue.lease(hookOf(1), LATER, LATER, { limit: 1, maxBytes: 1 }),
    () => queue.expire(LATER, LATER, 1),
    () => queue.cancel(hookOf(1), LATER, 1),
    () => log.list({ ...all, webhookId: hookOf(1) }),
    () => log.find(hookOf(1), deliveryOf(1)),
    () => log.redeliver(hookOf(1), deliveryOf(1), LATER),
    () => log.redeliverFailed(hookOf(1), 0, LATER, null, 1),
    () => log.prune(LATER, 1),
    () => log.forgetWebhooks([hookOf(1)], 1),
    () => queue.finish([fail(held)]),
    () => queue.settle(held.id, { status: 'cancelled' }, LATER),
    () => intake.add([eventOf(3, [7])], 3),
  ]
  for (const use of uses) await assert.rejects(use, { code: 'storage_unavailable' }, String(use))
  assert.equal(causes.length, 4, 'reads; a write that fails tells its caller')
  for (const mock of mocks) mock.mock.restore()
  assert.deepEqual([await intake.position(), await queue.pendingCount(), await queue.nextDueAt()], [2, 2, NOW + 2])
  assert.deepEqual(await queue.health(hookOf(1)), { failingSince: null, failuresInARow: 0 })
  await queue.finish([succeed(held)])
  await intake.add([eventOf(3, [7])], 3)
  assert.deepEqual(await queue.dueWebhooks(LATER, null, 9), [hookOf(1), hookOf(7)])
})

test('no statement reads all deliveries, events or attempts', async (context) => {
  const prepared = new Set<string>()
  const prepare = DatabaseSync.prototype.prepare
  context.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, sql: string) {
    prepared.add(sql)
    return prepare.call(this, sql)
  })
  const dataDir = temporaryDeliveryFolder()
  const { queue, intake, log } = temporaryDeliveryStore(dataDir)
  const hook = hookOf(1)
  await intake.add([eventOf(1, [1, 2], { contentOf: idOf('tr', 1) }), eventOf(2), eventOf(3), eventOf(1)], 3)
  const [one, two, three] = (await leaseAll(queue, 1, NOW + 60_000)) as [DueDelivery, DueDelivery, DueDelivery]
  await queue.finish([succeed(one, LATER), fail(two, LATER, { status: 'failed', reason: 'gone' })])
  await queue.finish([fail(one, LATER)])
  await queue.release([three.id])
  await queue.leaseOne(hook, three.id, LATER, LATER)
  await queue.dueWebhooks(LATER, null, 9)
  await queue.nextDueAt()
  await queue.health(hook)
  await queue.correctTimes(NOW - HOUR, null, 9)
  await queue.expire(LATER, LATER, 9)
  await queue.cancel(hookOf(2), LATER, 9)
  await log.list({ ...all, webhookId: hook })
  await log.find(hook, one.id)
  await log.redeliver(hook, one.id, LATER)
  await log.redeliverFailed(hook, 0, LATER, null, 9)
  await log.forgetContent([idOf('tr', 1)], LATER, 9)
  await log.prune(LATER + HOUR, 9)
  await log.forgetWebhooks([hook], 1)
  context.mock.reset()
  const database = new DatabaseSync(join(dataDir, 'deliveries.db'), { readOnly: true })
  context.after(() => database.close())
  const statements = [...prepared].filter((sql) => /\bdeliver/.test(sql))
  assert.ok(statements.length > 25, `${statements.length} statements`)
  for (const sql of statements) {
    for (const { detail } of database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()) {
      // SQLite goes on reading all rows of such a join once a sorted page is full.
      assert.doesNotMatch(`${detail}`, /^SEARCH \w+ EXISTS/, sql)
      assert.doesNotMatch(
        `${detail}`,
        /^SCAN (d|e|deliveries|delivery_events|delivery_attempts)( USING PRIMARY.*)?$/,
        sql,
      )
    }
  }
})
