import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testLeaseStore } from '../../../ports/leases/lease-store.conformance.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'
import { currentLeaseOn } from './current-lease.ts'
import type { LeaseTables } from './lease-tables.ts'
import { SqlLeaseStore } from './sql-lease-store.ts'

testLeaseStore(async (clock, context) => temporaryStore(context, { clock }).leases)

test('statements compile for PostgreSQL, where a write under a lease blocks the next holder', () => {
  compiledForPostgresql<LeaseTables>((database) => new SqlLeaseStore(database, { now: () => 0 }))
  const [current] = compiledForPostgresql<LeaseTables>(currentLeaseOn)
  assert.match(current ?? '', /FOR SHARE$/)
})

test('leases are seen by other processes and survive a restart', async (context) => {
  const dataDir = temporaryFolder(context)
  const clock = { now: () => 1_763_000_000_000 }
  const first = temporaryStore(context, { dataDir, clock })
  const lease = await first.leases.take('work', 'a', 1000)
  assert.ok(lease)
  const second = temporaryStore(context, { dataDir, clock })
  assert.equal(await second.leases.take('work', 'b', 1000), null)
  assert.deepEqual(await second.leases.renew(lease, 2000), { ...lease, until: clock.now() + 2000 })
})
