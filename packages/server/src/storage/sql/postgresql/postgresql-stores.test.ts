import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { sql } from 'kysely'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { FOREIGN_PROJECT, OWN_PROJECT } from '../../../metrics/metric-builders.test-support.ts'
import {
  aKey,
  aProject,
  aSession,
  hashOf,
  keyId,
  projectId,
} from '../../../ports/access/access-builders.test-support.ts'
import { testAccessStores } from '../../../ports/access/access-stores.conformance.ts'
import { testAuditStore } from '../../../ports/audit/audit-store.conformance.ts'
import { testDeletionJobs } from '../../../ports/traces/deletion-jobs.conformance.ts'
import { testLeaseStore } from '../../../ports/leases/lease-store.conformance.ts'
import * as media from '../../../ports/media/media-builders.test-support.ts'
import { testMediaStore } from '../../../ports/media/media-store.conformance.ts'
import { testMetricStore } from '../../../ports/metrics/metric-store.conformance.ts'
import * as monitors from '../../../ports/monitors/monitor-store.conformance.ts'
import { aPrice, testPriceStore } from '../../../ports/prices/price-store.conformance.ts'
import * as views from '../../../ports/views/view-store.conformance.ts'
import * as webhooks from '../../../ports/webhooks/webhook-builders.test-support.ts'
import { testWebhookStore } from '../../../ports/webhooks/webhook-store.conformance.ts'
import { journalStatementsOn } from '../journal/journal-statements.ts'
import type { JournalTables } from '../journal/journal-tables.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
import { currentLeaseOn } from '../leases/current-lease.ts'
import type { LeaseTables } from '../leases/lease-tables.ts'
import { releaseMedia } from '../media/attachment-changes.ts'
import { attachmentStatementsOn } from '../media/attachment-statements.ts'
import type { MediaTables } from '../media/media-tables.ts'
import { applyTransition } from '../monitors/monitor-changes.ts'
import { monitorStatementsOn } from '../monitors/monitor-statements.ts'
import type { MonitorTables } from '../monitors/monitor-tables.ts'
import { postgresqlStoresOn } from './postgresql-stores.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('stores on PostgreSQL', { skip: postgresql }, () => undefined)
else testStores(postgresql)

function testStores(server: TestPostgresql): void {
  const open = async (context: TestContext, projectIds: readonly ProjectId[] = [], clock = systemClock) => {
    const database = await server.open(context)
    const stores = postgresqlStoresOn(database, clock)
    for (const id of projectIds) await stores.projects.create({ id, name: 'a project', createdAt: 0 }, [])
    return { ...stores, database }
  }

  test('the next look-up at another node sees a change', async (context) => {
    const url = await server.migratedUrl(context)
    const connect = async () => postgresqlStoresOn(await server.open(context, { url }), systemClock)
    const [node, other] = [await connect(), await connect()]
    await other.projects.create(aProject(1), [aKey(1)])
    await other.sessions.create(aSession(1), null, 9)
    const [hooks, otherHooks] = [node.openWebhooks(TEST_BOX), other.openWebhooks(TEST_BOX)]
    const secret = aKey(1).secretHash
    assert.equal((await node.keys.findBySecretHash(secret))?.revokedAt, null)
    assert.equal((await node.sessions.find(hashOf(1)))?.key.revokedAt, null)
    assert.equal((await node.prices.own(projectId(1))).size, 0)
    assert.equal(await hooks.anyEnabled(), false)
    await other.prices.put(projectId(1), aPrice('m'), 9)
    assert.equal((await node.prices.own(projectId(1))).size, 1)
    await otherHooks.create(webhooks.aWebhook({ projectId: projectId(1) }), 'a secret of sixteen', 9)
    assert.equal(await hooks.anyEnabled(), true)
    const [stored] = await server.query(url, 'SELECT webhooks::text AS row FROM webhooks')
    assert.doesNotMatch(`${stored?.['row']}`, /https?:/, 'its address is sealed')
    await other.keys.revoke(keyId(1), 50)
    assert.equal((await node.keys.findBySecretHash(secret))?.revokedAt, 50)
    assert.equal((await node.sessions.find(hashOf(1)))?.key.revokedAt, 50)
  })

  test('leases, uploads and evaluations do not evict what is cached', async (context) => {
    const stores = await open(context)
    await stores.projects.create(aProject(1), [aKey(1)])
    const found = await stores.keys.findBySecretHash(aKey(1).secretHash)
    const lease = await stores.leases.take('work', 'a', 1000)
    assert.ok(lease)
    await stores.media.beginBlob(media.keyOf(1), media.LEASE)
    await stores.monitors.recordEvaluations([], lease)
    assert.equal(await stores.keys.findBySecretHash(aKey(1).secretHash), found, 'the same object')
  })

  test('nobody takes a lease while a transaction writes under it', async (context) => {
    const url = await server.migratedUrl(context)
    const clock = { time: 1000, now: () => clock.time }
    const [database, other] = [await server.open(context, { url }), await server.open(context, { url })]
    const lease = await postgresqlStoresOn(database, clock).leases.take('work', 'a', 50)
    assert.ok(lease)
    clock.time += 100
    const currentLease = currentLeaseOn(database.withTables<LeaseTables>())
    const sleep = database.bound((queries) => queries.selectNoFrom(sql`pg_sleep(0.5)`.as('slept')))
    const ended: string[] = []
    const writing = database.write(function* (): Work<void> {
      assert.ok(yield* first(currentLease(lease)))
      yield* run(sleep)
      ended.push('write')
    })
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`
    while ((await server.query(url, sleeping)).length === 0);
    const taken = await postgresqlStoresOn(other, clock).leases.take('work', 'b', 50)
    ended.push('take')
    await writing
    assert.deepEqual([taken?.epoch, ended], [2, ['write', 'take']])
    assert.equal(await database.write(() => first(currentLease(lease))), undefined)
  })

  testAccessStores(open)
  testAuditStore((context) => open(context))
  testDeletionJobs((context) => open(context))
  testLeaseStore(async (clock, context) => (await open(context, [], clock)).leases)
  testMetricStore(async (context) => (await open(context, [OWN_PROJECT, FOREIGN_PROJECT])).metrics)
  testPriceStore(async (context) => (await open(context)).prices)
  views.testViewStore(async (context) => (await open(context, [views.OWN, views.OTHER])).views)
  testWebhookStore(async (context) => {
    const { openWebhooks } = await open(context, [webhooks.OWN_PROJECT, webhooks.FOREIGN_PROJECT])
    return openWebhooks(TEST_BOX)
  })
  monitors.testMonitorStore(async (context) => {
    const { database, ...stores } = await open(context, [monitors.OWN, monitors.OTHER])
    const statements = monitorStatementsOn(database.withTables<MonitorTables>())
    return { ...stores, apply: (transition, at) => database.write(() => applyTransition(statements, transition, at)) }
  })
  testMediaStore(async (context, clock) => {
    const { database, ...stores } = await open(context, [], clock)
    const statements = {
      ...attachmentStatementsOn(database.withTables<MediaTables>()),
      ...journalStatementsOn(database.withTables<JournalTables>()),
    }
    const deleteTrace = (id: TraceId) =>
      database.write(function* (): Work<void> {
        const traceId = idToBytes(id)
        const deletion = { traceId, projectId: idToBytes(media.OWN), position: 0, restorableUntil: 0 }
        yield* run(statements.insertDeleted({ ...deletion, expired: 0 }))
        yield* releaseMedia(statements, traceId)
      })
    return { ...stores, deleteTrace }
  })
}
