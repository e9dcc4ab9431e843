import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Client } from 'pg'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { systemClock } from '../../lib/time/clock.ts'
import type { Committed, CommitPlan } from '../../ports/log/log.ts'
import { NOTHING_KNOWN } from '../../ports/log/nothing-known.test-support.ts'
import { LEASE, newAttachment } from '../../ports/media/media-builders.test-support.ts'
import { CommitBatch } from '../../traces/commit/commit-batch.ts'
import { planAppend } from '../../traces/commit/plan/append.ts'
import {
  commitContext,
  created,
  OTHER_PROJECT,
  PROJECT,
  preparedStep,
  preparedTrace,
} from '../../traces/trace-builders.test-support.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import type { MediaTables } from '../sql/media/media-tables.ts'
import { SqlMediaStore } from '../sql/media/sql-media-store.ts'
import { testPostgresql } from '../sql/postgresql/test-postgresql.test-support.ts'
import { ClusterLog } from './cluster-log.ts'
import { NO_MEMORY } from './no-memory.test-support.ts'
import { ALL_PARTITIONS, partitionOf, PARTITIONS } from './partitions.ts'

const IMAGE = hash('sha256', 'image')

test('projects are spread over all partitions', () => {
  const { newId } = createIdGenerator(systemClock, randomBytes)
  const counts = Map.groupBy(
    Array.from({ length: 2000 }, () => newId('proj')),
    partitionOf,
  )
  assert.equal(counts.size, PARTITIONS)
  assert.deepEqual([Math.min(...counts.keys()), Math.max(...counts.keys())], [1, PARTITIONS])
})

const server = await testPostgresql()
if (typeof server === 'string') test('partitions of the log', { skip: server }, () => undefined)
else {
  const open = async (url: string, context: Parameters<typeof server.open>[0]) =>
    openNode((await server.open(context, { url })).uncounted())

  test('plans of different partitions, made at once, are all committed; every node reads them in one order', async (context) => {
    const url = await server.migratedUrl(context)
    const [a, b] = [await open(url, context), await open(url, context)]
    const made = [
      [a, plan(a, (batch) => create(batch, PROJECT))],
      [b, plan(b, (batch) => create(batch, OTHER_PROJECT))],
    ] as const
    assert.equal((await Promise.all(made.map(([node, one]) => committed(node, one)))).length, 2)
    const traces = new Map(made.map(([, one]) => [one.traces[0]!.projectId, one.traces[0]!.id]))
    await Promise.all([a.log.follow(), b.log.follow()])
    const appends = [
      [b, plan(b, (batch) => append(batch, b, traces.get(OTHER_PROJECT)!))],
      [a, plan(a, (batch) => append(batch, a, traces.get(PROJECT)!))],
    ] as const
    for (const [node, one] of appends) await committed(node, one)
    await Promise.all([a.log.follow(), b.log.follow()])

    assert.deepEqual(a.seen.map(asRead), b.seen.map(asRead))
    assert.deepEqual(a.log.watermark(), b.log.watermark())
    assert.deepEqual(a.log.conflicts + b.log.conflicts, 0)
    for (const { plan: of } of a.seen) {
      const own = [...of.traces, ...of.steps].map(({ version }) => version)
      assert.deepEqual(new Set(own), new Set([of.version]))
    }
    // A growing trace has one event when it is created, and none when it grows.
    const positions = await server.query(url, 'SELECT last_position::int FROM journal ORDER BY 1')
    assert.deepEqual(positions, [{ last_position: 1 }, { last_position: 2 }])
    assert.deepEqual(
      a.seen.flatMap(({ rows }) => rows.map(({ lastPosition }) => lastPosition)),
      [1, 2],
    )
    const versions = await server.query(
      url,
      'SELECT from_version::int, until_version::int FROM superseded_keys ORDER BY 2',
    )
    const before = (projectId: ProjectId) =>
      a.seen.findIndex(
        ({
          plan: {
            traces: [t],
          },
        }) => t?.projectId === projectId,
      )
    assert.deepEqual(versions, [
      { from_version: before(OTHER_PROJECT) + 1, until_version: 3 },
      { from_version: before(PROJECT) + 1, until_version: 4 },
    ])
    const last = [...traces.values()].sort().at(-1)
    assert.equal(a.log.watermark().lastTraceId, last, 'the last trace is not the greatest one')
    const late = await open(url, context)
    assert.deepEqual(late.log.watermark(), a.log.watermark())
  })

  test('a commit that has waited for another one of its partition conflicts with it, and no other does', async (context) => {
    const url = await server.migratedUrl(context)
    const nodes = await Promise.all([1, 2, 3].map(() => open(url, context)))
    const projects = [PROJECT, PROJECT, OTHER_PROJECT]
    const plans = nodes.map((node, at) => plan(node, (batch) => create(batch, projects[at]!)))
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('BEGIN; SELECT version FROM journal_state FOR UPDATE')
    const commits = nodes.map(({ log }, at) => log.commit(plans[at]!))
    const waiting = `SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND datname = current_database()`
    while (Number((await client.query<{ count: string }>(waiting)).rows[0]?.count) < nodes.length) await nextTurn()
    await client.query('COMMIT')
    await client.end()
    const outcomes = (await Promise.all(commits)).map(({ status }) => status)
    assert.deepEqual(outcomes.slice(0, 2).sort(), ['committed', 'conflict'])
    assert.equal(outcomes[2], 'committed')
    for (const { log } of nodes) {
      await log.follow()
      assert.equal(log.watermark().version, 2)
    }
  })

  test('a commit that links media does not conflict with another partition either', async (context) => {
    const url = await server.migratedUrl(context)
    const database = (await server.open(context, { url })).uncounted()
    const media = new SqlMediaStore(database.withTables<MediaTables>(), systemClock)
    const attachment = newAttachment({ projectId: PROJECT })
    await media.beginBlob(attachment.key, LEASE)
    await media.attach({ ...attachment, facts: { ...attachment.facts, sha256: IMAGE } }, 10, null)
    const [a, b] = [await open(url, context), await open(url, context)]
    const linking = plan(a, (batch) => create(batch, PROJECT, [IMAGE]))
    const stale = plan(a, (batch) => create(batch, OTHER_PROJECT))
    await committed(
      b,
      plan(b, (batch) => create(batch, OTHER_PROJECT)),
    )
    const { version, rows } = await committed(a, linking)
    assert.deepEqual([version, rows.map(({ lastPosition }) => lastPosition)], [2, [3]])
    await b.log.follow()
    assert.deepEqual(a.seen.map(asRead), b.seen.map(asRead))
    assert.deepEqual(await a.log.commit(stale), { status: 'conflict' })
    // The linking commit has moved the head of its own partition too.
    const again = new CommitBatch(commitContext({ version: 2, known: KNOWS_MEDIA }))
    create(again, PROJECT)
    assert.deepEqual(await b.log.commit(again.toPlan(null)), { status: 'conflict' })
  })
}

const KNOWS_MEDIA = { ...NOTHING_KNOWN, hasMedia: () => true }

interface Node {
  readonly log: ClusterLog
  readonly seen: Committed[]
}

async function openNode(database: PostgresqlDatabase<unknown>): Promise<Node> {
  const log = await ClusterLog.open(
    {
      database,
      newCommitId: () => randomBytes(16),
      memory: NO_MEMORY,
      startIdsAfter: () => undefined,
      onHead: () => undefined,
      waitForCapacity: async () => undefined,
      capacityRefusal: () => null,
      now: () => systemTimers.now(),
      onError: () => undefined,
      pause: nextTurn,
    },
    null,
  )
  await log.held.hold(ALL_PARTITIONS)
  const seen: Committed[] = []
  log.subscribe({ committed: (commit) => seen.push(commit) })
  return { log, seen }
}

function plan({ log, seen }: Node, work: (batch: CommitBatch) => unknown): CommitPlan {
  const latest = (id: TraceId) => seen.flatMap(({ plan: { traces } }) => traces).findLast((trace) => trace.id === id)!
  const { version, lastTraceId } = log.begin()
  const batch = new CommitBatch(commitContext({ version: version + 1, known: KNOWS_MEDIA, currentTrace: latest }))
  work(batch)
  return batch.toPlan(lastTraceId)
}

/** A trace that grows, unless it has attachments. */
function create(batch: CommitBatch, projectId: ProjectId, attachments: readonly string[] = []): void {
  const steps = attachments.length === 0 ? [] : [preparedStep({ attachments })]
  created(batch, projectId, preparedTrace({ steps }), null)
}

function append(batch: CommitBatch, { seen }: Node, id: TraceId): void {
  assert.ok(seen.length > 0)
  planAppend(batch, id, [preparedStep()])
}

async function committed({ log }: Node, one: CommitPlan) {
  const outcome = await log.commit(one)
  assert.ok(outcome.status === 'committed', outcome.status)
  return outcome
}

/** What steps say is known only to the node that commits them. */
function asRead({ plan: of, rows }: Committed) {
  const steps = of.steps.map((step) => ({ ...step, prepared: { ...step.prepared, said: undefined } }))
  return { plan: { ...of, steps }, rows }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
