import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import type { CommitRecord, MetricEventKey } from '../../../ports/journal/journal.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { configureConnection, CONNECTION_OPTIONS } from '../configure-connection.ts'
import { CONTROL_MIGRATIONS } from '../schema/schemas.ts'
import { idAtTime } from '../../../lib/ids/ids.ts'
import {
  numberedCommit,
  numberedId,
  sha256,
  STEPS_PER_COMMIT,
} from '../../../ports/journal/numbered-commit.test-support.ts'
import { testJournal } from '../../../ports/journal/journal.conformance.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { journalStatementsOn } from './journal-statements.ts'
import type { JournalTables } from './journal-tables.ts'
import { memoryOnlyJournal } from './memory-only-journal.test-support.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from './sqlite-journal.ts'
import { temporaryFolder, temporaryStore } from '../temporary-store.test-support.ts'

testJournal(async () => {
  const journal = memoryOnlyJournal()
  return { journal, write: async (commit) => journal.append(commit) }
})

test('statements compile for PostgreSQL', () => {
  const compiled = compiledForPostgresql<JournalTables>(journalStatementsOn)
  assert.ok(compiled.some((sql) => sql.includes('greatest(id_lead_ms, $1)')))
})

const [FIRST, SECOND] = [numberedId('proj', 1), numberedId('proj', 2)]

function emptyCommit(version: number): CommitRecord {
  const none = { projects: [], traceKeys: [], stepKeys: [], metricEventKeys: [], superseded: [], deleted: [] }
  return { ...numberedCommit(version), ...none }
}

test('an empty journal has no last commit', (context) => {
  assert.deepEqual(temporaryStore(context).journal.last(), { version: 0, lastTraceId: null })
})

test('everything is stored after the store is closed and opened', async (context) => {
  const dataDir = temporaryFolder(context)
  temporaryStore(context, { dataDir }).journal.append(numberedCommit(7))
  const { journal } = temporaryStore(context, { dataDir })
  const commit = numberedCommit(7)
  assert.deepEqual(journal.last(), { version: 7, lastTraceId: commit.lastTraceId })
  assert.deepEqual((await journal.read(FIRST, 0, 1))[0]?.events, commit.projects[0]?.events)
  for (const key of commit.stepKeys) assert.deepEqual(journal.findStepKey(key.traceId, key.key), key)
  for (const key of commit.metricEventKeys) assert.deepEqual(journal.findMetricEventKey(key.traceId, key.key), key)
  for (const key of commit.traceKeys) assert.deepEqual(journal.findTraceKey(key.projectId, key.key), key)
  assert.deepEqual(await journal.supersededAt(FIRST, 6), commit.superseded)
  assert.deepEqual(await journal.pendingPurges(9), commit.deleted)
})

test('keys are scoped to their trace and project', async (context) => {
  const { journal } = temporaryStore(context)
  journal.append(numberedCommit(1))
  assert.equal(journal.findStepKey(numberedId('tr', 1, 1), 'kstep 0'), undefined)
  assert.equal(journal.findStepKey(numberedId('tr', 1), 'istep 0'), undefined)
  assert.equal(journal.findTraceKey(SECOND, 'trace 1'), undefined)
  const [{ traceId, key, eventId }] = numberedCommit(1).metricEventKeys as [MetricEventKey]
  assert.equal(journal.findMetricEventKey(traceId, key)?.eventId, eventId)
  assert.equal(journal.findMetricEventKey(numberedId('tr', 1, 1), key), undefined)
  assert.equal(journal.findStepKey(traceId, `k${key}`), undefined)
  assert.equal(journal.findMetricEventKey(traceId, 'step 0'), undefined)
})

test('a commit without events takes no position, and one without traces keeps the last trace id', async (context) => {
  const { journal } = temporaryStore(context)
  journal.append(numberedCommit(1))
  const rows = journal.append({ ...emptyCommit(2), lastTraceId: null, projects: [{ projectId: FIRST, events: [] }] })
  assert.deepEqual(rows, [{ projectId: FIRST, lastPosition: 3, committedAt: 2000, events: [] }])
  assert.deepEqual(journal.last(), { version: 2, lastTraceId: numberedId('tr', 1, 1) })
  assert.equal((await journal.read(FIRST, 0, 9)).length, 1)
})

test('a version that does not grow is rejected; one that skips numbers is accepted', async (context) => {
  const { journal } = temporaryStore(context)
  journal.append(numberedCommit(5))
  assert.throws(() => journal.append(emptyCommit(5)), /commit 5 comes after commit 5/)
  assert.throws(() => journal.append(emptyCommit(4)), /commit 4 comes after commit 5/)
  journal.append(emptyCommit(9))
  assert.equal(journal.last().version, 9)
})

test('a commit that fails is rolled back and can be retried', async (context) => {
  const { journal } = temporaryStore(context)
  journal.append(numberedCommit(1))
  const second = numberedCommit(2)
  const clash = { ...second, stepKeys: [...second.stepKeys, ...numberedCommit(1).stepKeys] }
  assert.throws(() => journal.append(clash), /UNIQUE/)
  assert.deepEqual(journal.last(), { version: 1, lastTraceId: numberedId('tr', 1, 1) })
  assert.equal(await journal.headPosition(), 3)
  assert.equal(journal.findStepKey(numberedId('tr', 2), 'kstep 0'), undefined)
  assert.deepEqual(
    journal.append(second).map((row) => row.lastPosition),
    [5, 6],
  )
})

test('a full disk is reported, loses nothing, and the same commit succeeds once there is space', async (context) => {
  const { database, journal } = limitedJournal(context)
  let version = 0
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count'])
  database.exec(`PRAGMA max_page_count = ${pages + 10}`)
  const fill = () => {
    for (;;) journal.append(numberedCommit(++version))
  }
  assert.throws(fill, (error) => error instanceof DomainError && error.code === 'disk_full')
  assert.ok(version > 1, 'it was full from the start')
  assert.equal(journal.last().version, version - 1)
  assert.throws(() => journal.append(numberedCommit(version)), DomainError)
  assert.equal((await journal.read(FIRST, 0, 10_000)).length, version - 1)

  database.exec('PRAGMA max_page_count = 1000000')
  journal.append(numberedCommit(version))
  assert.equal(journal.last().version, version)
  assert.equal(await journal.headPosition(), version * 3)
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
})

test('the greatest lead of ids over their commit is stored durably', async (context) => {
  const { database, journal } = limitedJournal(context)
  const commit = (version: number, leadMs: number) =>
    journal.append({
      ...numberedCommit(version),
      committedAt: 5_000_000,
      lastTraceId: idAtTime('tr', 5_000_000 + leadMs),
    })
  assert.equal(journal.idLeadMs(), 0)
  commit(1, 1000)
  assert.equal(journal.idLeadMs(), 0, 'a commit takes a moment')
  commit(2, 60_000)
  commit(3, 2000)
  commit(4, -1000)
  assert.equal(journal.idLeadMs(), 60_000)
  assert.equal(new SqliteJournal(new SqliteDatabase(database)).idLeadMs(), 60_000)
})

test('a purge deletes the step keys, and the trace stays marked as deleted while the journal holds its events', async (context) => {
  const { journal } = temporaryStore(context)
  journal.append(numberedCommit(1))
  const [kept, deleted] = [numberedId('tr', 1, 0), numberedId('tr', 1, 1)]
  const key = { traceId: deleted, key: 'kx', stepId: numberedId('st', 9), contentHash: sha256('x') }
  const eventKey = { traceId: deleted, key: 'x', eventId: numberedId('mev', 9), contentHash: sha256('y') }
  journal.append({ ...emptyCommit(2), stepKeys: [key], metricEventKeys: [eventKey] })
  assert.deepEqual(journal.findMetricEventKey(deleted, 'x'), eventKey)
  assert.deepEqual([...(await journal.deletedAmong([kept, deleted]))], [deleted])
  assert.deepEqual(await journal.pendingPurges(9), [{ projectId: SECOND, traceId: deleted }])
  assert.deepEqual(await journal.pendingPurges(0), [])
  await journal.markPurged([kept, deleted])
  assert.deepEqual([...(await journal.deletedAmong([kept, deleted]))], [deleted])
  assert.deepEqual(await journal.pendingPurges(9), [])
  assert.equal(journal.findStepKey(deleted, 'kx'), undefined)
  assert.equal(journal.findMetricEventKey(deleted, 'x'), undefined)
  for (let index = 0; index < STEPS_PER_COMMIT; index++) assert.ok(journal.findStepKey(kept, `kstep ${index}`))
})

test('the mark of a deleted trace is deleted with the last journal row before its deletion, after purge and retention in either order', async (context) => {
  const dataDir = temporaryFolder(context)
  const { journal } = temporaryStore(context, { dataDir })
  const [purgedFirst, prunedFirst] = [numberedId('tr', 1, 1), numberedId('tr', 2, 1)]
  for (const version of [1, 2, 3])
    journal.append({ ...numberedCommit(version), ...(version === 3 ? { deleted: [] } : {}) })
  const marked = async () => [
    ...(await temporaryStore(context, { dataDir }).journal.deletedAmong([purgedFirst, prunedFirst])),
  ]
  await journal.markPurged([purgedFirst])
  assert.equal(await journal.prune(3000, 1), 1)
  assert.deepEqual(await marked(), [purgedFirst, prunedFirst], 'its own event is still there')
  assert.equal(await journal.prune(3000, 1), 1)
  assert.deepEqual(await marked(), [prunedFirst])
  assert.equal(await journal.prune(3000), 2)
  assert.deepEqual(await marked(), [prunedFirst], 'its rows are still to be purged')
  await journal.markPurged([prunedFirst])
  assert.deepEqual([...(await journal.deletedAmong([purgedFirst, prunedFirst]))], [])
  assert.deepEqual(await marked(), [])
})

test('a trace with very many step keys is purged in parts', async (context) => {
  const { journal } = temporaryStore(context)
  const traceId = numberedId('tr', 1)
  const stepKeys = Array.from({ length: 25_000 }, (_, index) => {
    return { traceId, key: `k${index}`, stepId: numberedId('st', index), contentHash: sha256('x') }
  })
  journal.append({ ...emptyCommit(1), stepKeys, deleted: [{ projectId: FIRST, traceId }] })
  await journal.markPurged([traceId])
  assert.equal((await journal.pendingPurges(9)).length, 1)
  assert.equal(stepKeys.filter(({ key }) => journal.findStepKey(traceId, key) !== undefined).length, 5000)
  await journal.markPurged([traceId])
  assert.deepEqual(await journal.pendingPurges(9), [])
  assert.ok(stepKeys.every(({ key }) => journal.findStepKey(traceId, key) === undefined))
})

/** A journal whose database the test can limit in size. */
function limitedJournal(context: TestContext): { database: DatabaseSync; journal: SqliteJournal } {
  const database = new DatabaseSync(join(temporaryFolder(context), 'control.db'), CONNECTION_OPTIONS)
  context.after(() => database.close())
  configureConnection(database)
  runMigrations(database, CONTROL_MIGRATIONS, systemClock)
  return { database, journal: new SqliteJournal(new SqliteDatabase(database)) }
}

test('a look-up on a failing disk is storage_unavailable, and its cause is reported to the operator', async (context) => {
  const failures: unknown[] = []
  const { journal } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  const cause = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const statement = context.mock.method(StatementSync.prototype, 'get', () => {
    throw cause
  })
  const unavailable = (error: unknown) =>
    error instanceof DomainError && error.code === 'storage_unavailable' && error.retryAfterSeconds !== null
  assert.throws(() => journal.findTraceKey(FIRST, 'key'), unavailable)
  assert.throws(() => journal.findStepKey(numberedId('tr', 1), 'kkey'), unavailable)
  statement.mock.restore()
  assert.deepEqual(failures, [cause, cause])
})

test('every read of the journal rejects with storage_unavailable while the disk fails', async (context) => {
  const failures: unknown[] = []
  const { journal } = temporaryStore(context, { onReadError: (error) => failures.push(error) })
  journal.append({ ...numberedCommit(1), deleted: [{ projectId: FIRST, traceId: numberedId('tr', 1) }] })
  const busy = Object.assign(new Error('database is locked'), { errcode: 5 })
  for (const method of ['get', 'all', 'iterate'] as const) {
    context.mock.method(StatementSync.prototype, method, () => {
      throw busy
    })
  }
  assert.throws(() => journal.last(), { code: 'storage_unavailable' })
  const reads: readonly (() => Promise<unknown>)[] = [
    () => journal.headPosition(),
    () => journal.prunedThrough(),
    () => journal.read(FIRST, 0, 10),
    () => journal.readAll(0, 10),
    () => journal.deletedAmong([numberedId('tr', 1)]),
    () => journal.supersededAt(FIRST, 1),
    () => journal.pendingPurges(10),
  ]
  for (const read of reads) await assert.rejects(read(), { code: 'storage_unavailable' }, String(read))
  assert.deepEqual(failures, Array(1 + reads.length).fill(busy))
})

test('confirming the last commit overwrites what may follow it in the log', async (context) => {
  const dataDir = temporaryFolder(context)
  const { journal } = temporaryStore(context, { dataDir })
  journal.append(numberedCommit(1))
  const wal = join(dataDir, 'control.db-wal')
  const before = statSync(wal).size
  const last = journal.last()
  journal.confirmLast()
  assert.ok(statSync(wal).size > before, 'nothing was written')
  assert.deepEqual(journal.last(), last)
  assert.deepEqual(temporaryStore(context, { dataDir }).journal.last(), last)
})

test('the events of a discovery are stored once within 400 days, whatever else its commits hold', async (context) => {
  const { journal } = temporaryStore(context)
  const event = (data: string) => ({ type: 'cluster.created' as const, clusterId: numberedId('clu', 1), data })
  const commit = (version: number, committedAt: number, runs: readonly (readonly [number, string])[]) => {
    const onceEvents = runs.map(([run, data]) => {
      return { projectId: FIRST, key: numberedId('job', run), events: [event(data)] }
    })
    const projects = [{ projectId: FIRST, events: onceEvents.flatMap(({ events }) => events) }]
    const rows = journal.append({ ...emptyCommit(version), committedAt, projects, onceEvents })
    return rows.flatMap(({ events }) => events.map((one) => ('data' in one ? one.data : '')))
  }
  const retained = 400 * 24 * 3600 * 1000
  assert.deepEqual(commit(1, 1000, [[1, 'a']]), ['a'])
  assert.deepEqual(
    commit(2, 2000, [
      [1, 'a'],
      [2, 'b'],
      [2, 'b'],
    ]),
    ['b'],
  )
  assert.equal(await journal.headPosition(), 2)
  assert.deepEqual(commit(3, 1000 + retained, [[1, 'a']]), [])
  assert.deepEqual(commit(4, 1001 + retained, [[1, 'a']]), ['a'])
})
