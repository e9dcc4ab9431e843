import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { systemClock } from '../../../lib/time/clock.ts'
import {
  aJob,
  jobId,
  LASTS_MS,
  newCluster,
  newRun,
  putRun,
} from '../../../ports/clusters/cluster-builders.test-support.ts'
import { testClusterStores } from '../../../ports/clusters/cluster-stores.conformance.ts'
import { OTHER_PROJECT, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import { clusterStatementsOn } from './cluster-statements.ts'
import { temporaryClusters } from './cluster-store.test-support.ts'
import type { ClusterTables } from './cluster-tables.ts'
import { jobStatementsOn } from './job-statements.ts'
import { heldJobOn } from './memory-statements.ts'
import { SqlClusterSchedules } from './sql-cluster-schedules.ts'
import { SqlClusterStore } from './sql-cluster-store.ts'
import { SqlDiscoveryJobs } from './sql-discovery-jobs.ts'
import { SqlDiscoveryMemory } from './sql-discovery-memory.ts'

testClusterStores(async (clock, context) => {
  const { store, memory } = temporaryClusters(context, clock)
  return { ...store, memory }
})

test('statements compile for PostgreSQL, where writing a run blocks taking its job back', () => {
  compiledForPostgresql<ClusterTables>((database) => [
    new SqlDiscoveryJobs(database, systemClock),
    new SqlClusterSchedules(database),
    new SqlClusterStore(database),
    new SqlDiscoveryMemory({ lazy: database, durable: database }),
  ])
  const [held] = compiledForPostgresql<ClusterTables>(heldJobOn)
  assert.match(held ?? '', /FOR SHARE$/)
})

test('few rows among many are found by an index', (context) => {
  const { dataDir } = temporaryClusters(context)
  const connection = new DatabaseSync(join(dataDir, 'clusters.db'))
  context.after(() => connection.close())
  const database = new SqliteDatabase<ClusterTables>(connection)
  const planOf = ({ sql }: { readonly sql: string }) =>
    connection
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row['detail']))
      .join()
  const { open, openOf } = jobStatementsOn(database)
  assert.match(planOf(open({})), /USING INDEX jobs_open$/)
  assert.match(planOf(openOf({ setId: new Uint8Array() })), /USING INDEX jobs_open \(set_id=\?\)$/)
  const { pending, places, takeOut } = clusterStatementsOn(database)
  assert.match(planOf(pending({ limit: 1 })), /USING INDEX runs_untold$/)
  for (const length of [1, 50, 500]) {
    const ids = Array.from({ length }, () => new Uint8Array(16))
    for (const statement of [...places(ids, { run: 1 }), ...takeOut(ids, { run: 1 })]) {
      assert.match(planOf(statement), /USING INDEX members_by_trace \(run=\? AND trace_id=\?\)$/)
    }
  }
})

test('a write gives way to another thread’s and runs after it', async (context) => {
  const { dataDir, store, pauses } = temporaryClusters(context)
  const other = new DatabaseSync(join(dataDir, 'clusters.db'))
  other.exec('BEGIN IMMEDIATE')
  const added = store.jobs.add(aJob(1))
  const later = store.jobs.add(aJob(2, { setId: OTHER_PROJECT }))
  for (let turn = 0; turn < 5; turn++) await new Promise((go) => setImmediate(go))
  assert.equal(await store.jobs.find(PROJECT, jobId(1)), undefined)
  assert.ok(pauses.length > 0)
  other.exec('COMMIT')
  other.close()
  assert.deepEqual([(await added).id, (await later).id], [jobId(1), jobId(2)])
})

test('a round without queued or abandoned jobs writes nothing and waits for no other writer', async (context) => {
  const { dataDir, store, pauses } = temporaryClusters(context)
  await store.jobs.add(aJob(1))
  await store.jobs.take('short', 'a', LASTS_MS)
  const other = new DatabaseSync(join(dataDir, 'clusters.db'))
  context.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  await store.jobs.takeBack('short', 'b', LASTS_MS, (job) => job)
  assert.equal(await store.jobs.take('short', 'b', LASTS_MS), null)
  assert.deepEqual(pauses, [])
})

test('one call of tidying removes a bounded part', async (context) => {
  const { store, memory } = temporaryClusters(context)
  for (const number of [1, 2, 3]) await putRun({ ...store, memory }, newRun(number, { traceCount: 4000 }))
  assert.equal(await memory.tidy(PROJECT), true)
  const runs = await store.clusters.runs(PROJECT, null, 9)
  const left = await Promise.all(runs.map(async (run) => (await store.clusters.map(run, 10_000)).length))
  assert.deepEqual(left, [4000, 0, 3000])
  assert.equal(await memory.tidy(PROJECT), false)
})

test('a cluster of a run can be read back with any text, NUL too', async (context) => {
  const { store, memory } = temporaryClusters(context)
  const label = `'; DROP TABLE runs; --\u0000<script>`
  await putRun(
    { ...store, memory },
    newRun(1, { clusters: [newCluster(1, { label, keywords: [label] })], traceCount: 3 }),
  )
  const [found] = await store.clusters.clusters((await store.clusters.currentRun(PROJECT))!)
  assert.deepEqual([found?.cluster.label, found?.cluster.keywords], [label, [label]])
})
