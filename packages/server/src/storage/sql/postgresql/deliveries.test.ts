import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { testDeliveryIntake } from '../../../ports/webhooks/delivery-intake.conformance.ts'
import { testDeliveryLog } from '../../../ports/webhooks/delivery-log.conformance.ts'
import { testDeliveryQueue } from '../../../ports/webhooks/delivery-queue.conformance.ts'
import { eventOf, leaseAll, NOW, succeed } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'
import { openPostgresqlDeliveries } from '../deliveries/open-postgresql-deliveries.ts'

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('deliveries on PostgreSQL', { skip: postgresql }, () => undefined)
else testConformance(postgresql)

function testConformance(server: TestPostgresql): void {
  /** Opened once in each test; the next call empties it. */
  const opened = new WeakMap<TestContext, Promise<{ open: () => ReturnType<typeof openEmpty> }>>()
  const openEmpty = async (url: string, context: TestContext) => {
    const tables = 'deliveries, delivery_attempts, delivery_events, delivery_lanes, delivery_nodes'
    const database = databases.get(url) ?? (await server.open(context, { url }))
    databases.set(url, database)
    await server.query(
      url,
      `TRUNCATE ${tables} RESTART IDENTITY; UPDATE delivery_state SET position = NULL, last_place = 0, place_lead = 0`,
    )
    return openPostgresqlDeliveries({
      box: TEST_BOX,
      database,
      node: 'a node',
      clock: { now: () => NOW },
      timers: new ManualTimers(),
      mostLeased: 1_000_000,
      nodeLeaseMs: 1e12,
      onError: (error) => {
        throw error
      },
    })
  }
  const databases = new Map<string, Awaited<ReturnType<TestPostgresql['open']>>>()
  const open = async (context: TestContext) => {
    const known =
      opened.get(context) ?? server.migratedUrl(context).then((url) => ({ open: () => openEmpty(url, context) }))
    opened.set(context, known)
    return (await known).open()
  }

  test('no row of an attempt holds the address, nor an answer, which may repeat it', async (context) => {
    const url = await server.migratedUrl(context)
    const { queue, intake } = await openEmpty(url, context)
    await intake.add([eventOf(1)], 1)
    const [delivery] = await leaseAll(queue, 1, NOW + 1000)
    const response = { status: 301, headers: { location: '/marked' }, body: 'see /marked', truncated: false }
    const finished = succeed(delivery!)
    const attempt = { ...finished.attempt, url: 'https://receiver.example/marked?marked', response }
    await queue.finish([{ ...finished, attempt }])
    const rows = await server.query(url, 'SELECT delivery_attempts::text AS row FROM delivery_attempts')
    assert.equal(rows.length, 1)
    assert.doesNotMatch(`${rows[0]?.['row']}`, /marked|receiver/)
  })

  testDeliveryQueue(open)
  testDeliveryIntake(open)
  testDeliveryLog(open)
}
