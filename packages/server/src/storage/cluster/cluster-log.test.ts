import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { type CommitPlan, NO_UNKNOWNS } from '../../ports/log/log.ts'
import { testExpiry, testLog } from '../../ports/log/log.conformance.ts'
import { LEASE, newAttachment } from '../../ports/media/media-builders.test-support.ts'
import { CommitBatch } from '../../traces/commit/commit-batch.ts'
import {
  created,
  PROJECT,
  preparedStep,
  preparedTrace,
  commitContext,
} from '../../traces/trace-builders.test-support.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { systemClock } from '../../lib/time/clock.ts'
import type { BoundStatement, SqlDatabase, Work } from '../sql/kit/sql-database.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import { UnknownOutcomeError } from '../sql/kit/postgresql-error.ts'
import { SqlJournal } from '../sql/journal/sql-journal.ts'
import type { MediaTables } from '../sql/media/media-tables.ts'
import { SqlMediaStore } from '../sql/media/sql-media-store.ts'
import { testPostgresql } from '../sql/postgresql/test-postgresql.test-support.ts'
import { diskFull, storeUnavailable } from '../store-failure.ts'
import { ClusterLog } from './cluster-log.ts'
import { NO_MEMORY } from './no-memory.test-support.ts'
import { ALL_PARTITIONS } from './partitions.ts'

const server = await testPostgresql()
if (typeof server === 'string') test('the log of several nodes', { skip: server }, () => undefined)
else {
  testLog(async (context) => {
    const real = (await server.open(context)).uncounted()
    const database = new FailingDatabase(real)
    const { log } = await openLog(database)
    const media = new SqlMediaStore(real.withTables<MediaTables>(), systemClock)
    context.after(() => log.close())
    return {
      log,
      failNextCommit: (code) => (database.nextFailure = code === 'disk_full' ? diskFull(null) : storeUnavailable(null)),
      breakAtNextCommit() {
        database.losesNextAnswer = true
        return () => (database.isAway = false)
      },
      beginBlob: (key) => media.beginBlob(key, LEASE),
      async addMedia(projectId, sha256) {
        const attachment = newAttachment({ projectId })
        await media.beginBlob(attachment.key, LEASE)
        await media.attach({ ...attachment, facts: { ...attachment.facts, sha256 } }, 10, null)
      },
    }
  })

  testExpiry(async (context) => {
    const database = (await server.open(context)).uncounted()
    const { log } = await openLog(database)
    context.after(() => log.close())
    return { log, journal: new SqlJournal(database) }
  })

  test('nodes that commit at once have one order, and positions without gaps', async (context) => {
    const url = await server.migratedUrl(context)
    const nodes = await Promise.all(
      Array.from({ length: NODES }, async () => openLog((await server.open(context, { url })).uncounted())),
    )
    const seen = nodes.map(({ log }) => {
      const rows: string[] = []
      log.subscribe({
        committed: ({ plan, rows: [row] }) => {
          assert.equal(log.watermark().version, plan.version)
          rows.push(`${plan.version} ${row?.lastPosition} ${plan.traces[0]?.id}`)
        },
      })
      return rows
    })
    await Promise.all(
      nodes.map(async ({ log }) => {
        for (let commit = 0; commit < COMMITS; commit++) await commitTrace(log, `${randomBytes(8).toString('hex')}`)
      }),
    )
    for (const { log } of nodes) await log.follow()
    const positions = seen[0]?.map((row) => row.split(' ')[1])
    // Each trace is committed and complete: two events.
    assert.deepEqual(
      positions,
      Array.from({ length: NODES * COMMITS }, (_, index) => String(2 * index + 2)),
    )
    for (const [index, { published }] of nodes.entries()) {
      assert.deepEqual(seen[index], seen[0])
      assert.deepEqual(published, nodes[0]?.published, 'a node read another plan than was committed')
    }
  })

  test('one idempotency key at all nodes at once is one trace', async (context) => {
    const url = await server.migratedUrl(context)
    const nodes = await Promise.all(
      Array.from({ length: NODES }, async () => openLog((await server.open(context, { url })).uncounted())),
    )
    const ids = await Promise.all(nodes.map(({ log }) => commitTrace(log, 'once')))
    assert.equal(new Set(ids).size, 1)
    for (const { log, published } of nodes) {
      await log.follow()
      assert.deepEqual([published.length, log.watermark().version], [1, 1])
    }
  })

  test('thousands of keys of one commit are found again, and taken', async (context) => {
    const { log } = await openLog((await server.open(context)).uncounted())
    log.begin()
    const batch = new CommitBatch(
      commitContext({ known: await log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key: 'many' }] }) }),
    )
    const steps = Array.from({ length: 12_000 }, (_, number) =>
      preparedStep({ idempotencyKey: `key ${number}`, contentHash: hash('sha256', `${number}`) }),
    )
    const { id: traceId, stepIds } = created(batch, PROJECT, preparedTrace({ steps }), {
      key: 'many',
      bodyHash: hash('sha256', 'many'),
    })
    const plan = batch.toPlan(null)
    assert.equal((await log.commit(plan)).status, 'committed')
    const stepKeys = steps.map((_, number) => ({ traceId, key: `kkey ${number}` }))
    const wanted = [...stepKeys, { traceId, key: 'kother' }]
    const known = await log.lookUp({ ...NO_UNKNOWNS, stepKeys: wanted })
    for (const [number, { key }] of stepKeys.entries()) {
      const contentHash = hash('sha256', `${number}`)
      assert.deepEqual(known.stepKey(traceId, key), { traceId, key, stepId: stepIds[number], contentHash })
    }
    assert.equal(known.stepKey(traceId, 'kother'), undefined)
    const again = { ...plan, version: log.begin().version + 1, projects: [], traces: [], steps: [], traceKeys: [] }
    assert.deepEqual(await log.commit({ ...again, stepKeys: plan.stepKeys.slice(-1) }), { status: 'conflict' })
  })

  test('a lost statement that reaches the server later writes nothing', async (context) => {
    const real = (await server.open(context)).uncounted()
    const database = new FailingDatabase(real)
    const { log, published } = await openLog(database)
    await commitTrace(log, 'first')
    let late = async (): Promise<readonly unknown[]> => assert.fail('nothing was lost')
    database.loseNext = (write) => (late = write)
    await assert.rejects(commitTrace(log, 'lost'), { code: 'storage_unavailable' })
    assert.deepEqual([await late(), log.refusal()], [[], null])
    await commitTrace(log, 'next')
    const keys = published.map(({ traceKeys }) => traceKeys.map(({ key }) => key))
    assert.deepEqual(keys, [['first'], [], ['next']])
    const lost = await log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key: 'lost' }] })
    assert.equal(lost.traceKey(PROJECT, 'lost'), undefined)
  })

  test('after a failed commit a probe says whether commits pass again', async (context) => {
    const url = await server.migratedUrl(context)
    const { log } = await openLog((await server.open(context, { url })).uncounted())
    context.after(() => log.close())
    await server.query(url, DISK_FULL)
    await server.query(url, TRIGGER)
    await log.probe()
    const isFull = { code: 'disk_full', message: 'The disk of PostgreSQL is full.' }
    await assert.rejects(commitTrace(log, 'full'), isFull)
    await assert.rejects(log.probe(), isFull)
    await assert.rejects(log.probe(), isFull)
    await server.query(url, 'DROP TRIGGER full_disk ON commits')
    await log.probe()
    assert.deepEqual(await server.query(url, 'SELECT version FROM commits'), [])
    // It would fail if it wrote anything.
    await server.query(url, TRIGGER)
    await log.probe()
  })

  test('what one node has acknowledged is readable at another when it has followed', async (context) => {
    const url = await server.migratedUrl(context)
    const [a, b] = await Promise.all([0, 1].map(async () => openLog((await server.open(context, { url })).uncounted())))
    assert.ok(a !== undefined && b !== undefined)
    for (let commit = 1; commit <= 120; commit++) await commitTrace(a.log, String(commit))
    await Promise.all([b.log.follow(), b.log.follow()])
    assert.equal(b.published.length, 120)
    await commitTrace(b.log, 'last')
    await a.log.follow()
    assert.deepEqual(a.published, b.published)
    const late = await openLog((await server.open(context, { url })).uncounted())
    assert.deepEqual(late.log.watermark(), a.log.watermark())
  })
}

const NODES = 3
const COMMITS = 15

/** What steps say is known only to the node that commits them: it has written it into the trace. */
function asOthersRead(plan: CommitPlan): CommitPlan {
  const steps = plan.steps.map((step) => ({ ...step, prepared: { ...step.prepared, said: undefined } }))
  return { ...plan, steps: steps as unknown as CommitPlan['steps'] }
}

/** Plans again after each conflict, as the committer does. Resolves with the trace of the key. */
async function commitTrace(log: ClusterLog, key: string): Promise<TraceId> {
  for (;;) {
    const { version } = log.begin()
    const known = await log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key }] })
    const present = known.traceKey(PROJECT, key)
    if (present !== undefined) return present.traceId
    const batch = new CommitBatch(commitContext({ version: version + 1, known }))
    const steps = [preparedStep({ body: Buffer.from(`{"messages":"${key} \u0000 é"}`) }), preparedStep()]
    created(batch, PROJECT, preparedTrace({ steps }), { key, bodyHash: hash('sha256', key) })
    const plan = batch.toPlan(log.watermark().lastTraceId)
    if ((await log.commit(plan)).status === 'committed') return plan.traces[0]!.id
  }
}

/** As if its disk were full. */
const DISK_FULL = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`
const TRIGGER = 'CREATE TRIGGER full_disk BEFORE INSERT ON commits EXECUTE FUNCTION refuse()'

interface OpenLog {
  readonly log: ClusterLog
  readonly published: CommitPlan[]
}

async function openLog(database: PostgresqlDatabase<unknown> | FailingDatabase): Promise<OpenLog> {
  const published: CommitPlan[] = []
  const log = await ClusterLog.open(
    {
      database,
      newCommitId: () => randomBytes(16),
      memory: { ...NO_MEMORY, publish: (commit) => published.push(asOthersRead(commit as CommitPlan)) },
      startIdsAfter: () => undefined,
      onHead: () => undefined,
      waitForCapacity: async () => undefined,
      capacityRefusal: () => null,
      now: () => systemTimers.now(),
      onError: () => undefined,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    },
    null,
  )
  await log.held.hold(ALL_PARTITIONS)
  return { log, published }
}

/** A database whose server can be away, and whose next transaction can fail or lose its answer. */
class FailingDatabase implements SqlDatabase<unknown> {
  readonly dialect = 'postgresql'
  nextFailure: Error | null = null
  losesNextAnswer = false
  isAway = false
  /** Gets the next statement in place of the server. */
  loseNext: ((write: () => Promise<readonly unknown[]>) => void) | null = null
  readonly #real: PostgresqlDatabase<unknown>

  constructor(real: PostgresqlDatabase<unknown>) {
    this.#real = real
  }

  withTables<Tables>(): SqlDatabase<Tables> {
    return this as unknown as SqlDatabase<Tables>
  }

  statement: SqlDatabase<unknown>['statement'] = (build) => this.#real.statement(build)
  bound: SqlDatabase<unknown>['bound'] = (build) => this.#real.bound(build)
  version: SqlDatabase<unknown>['version'] = () => assert.fail('the log caches nothing')
  read: SqlDatabase<unknown>['read'] = (statement) =>
    this.isAway ? Promise.reject(storeUnavailable(null)) : this.#real.read(statement)

  write<T>(work: () => Work<T>): Promise<T> {
    return this.#answer(() => this.#real.write(work))
  }

  writeAtOnce<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]> {
    const lose = this.loseNext
    if (lose === null) return this.#answer(() => this.#real.writeAtOnce(statement))
    this.loseNext = null
    lose(() => this.#real.writeAtOnce(statement))
    return Promise.reject(new UnknownOutcomeError(null))
  }

  async #answer<T>(write: () => Promise<T>): Promise<T> {
    if (this.isAway) throw storeUnavailable(null)
    const failure = this.nextFailure
    this.nextFailure = null
    if (failure !== null) throw failure
    const value = await write()
    if (!this.losesNextAnswer) return value
    this.losesNextAnswer = false
    this.isAway = true
    throw new UnknownOutcomeError(null)
  }
}
