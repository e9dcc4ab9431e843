import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { BlobLeases } from '../../../media/blob-lease.ts'
import {
  INTERVAL_MS,
  MonitorWorld,
  NOON,
  PROJECT,
  SCORE,
  commitRecordOf,
} from '../../../monitors/monitor-world.test-support.ts'
import { heldLease, LeasedRunner } from '../../../operation/leased-runner.ts'
import { whileLeased } from '../../../ports/leases/while-leased.ts'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { newBlobKey } from '../../../ports/media/blob-key.ts'
import { createIdGenerator } from '../../../lib/ids/ids.ts'
import { bootstrap } from '../../../projects/bootstrap.ts'
import { systemRandomBytes } from '../../../lib/ids/random.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import { numberedId } from '../../../ports/journal/numbered-commit.test-support.ts'
import * as media from '../../../ports/media/media-builders.test-support.ts'
import type { CommitRecord } from '../../../ports/journal/journal.ts'
import { MemoryMeasures } from '../../../ports/monitors/memory-measures.test-support.ts'
import { appendCommit, journalSqlOn } from '../journal/journal-work.ts'
import { toState } from '../journal/journal-rows.ts'
import { first, type Work } from '../kit/sql-database.ts'
import { postgresqlStoresOn } from './postgresql-stores.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'
import { WatchedCalls } from './watched-calls.test-support.ts'

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('single runners on PostgreSQL', { skip: postgresql }, () => undefined)
else testRunners(postgresql)

function testRunners(server: TestPostgresql): void {
  /** Nodes on one database, each with timers of its own: those of a stopped node stand still. */
  const openNodes = async (context: TestContext) => {
    const url = await server.migratedUrl(context)
    const clock = { time: NOON, now: () => clock.time }
    const calls = new WatchedCalls()
    const node = async (name: string) => {
      const database = calls.watch(await server.open(context, { url }))
      const timers = new ManualTimers()
      timers.advance(NOON)
      const sql = journalSqlOn(database)
      const commit = (recordAfter: (version: number) => CommitRecord) =>
        database.write(function* (): Work<unknown> {
          const { version } = toState(yield* first(sql.readState({})))
          return yield* appendCommit(sql, recordAfter(version + 1))
        })
      return { name, timers, commit, ...postgresqlStoresOn(database, clock) }
    }
    const nodes = { a: await node('a'), b: await node('b') }
    const settle = () => calls.settled()
    const pass = async (seconds: number, running: readonly { readonly timers: ManualTimers }[]) => {
      for (let second = 0; second < seconds; second++) {
        clock.time += 1000
        for (const { timers } of running) timers.advance(1000)
        await settle()
      }
    }
    return { ...nodes, clock, pass, settle, url }
  }

  test('a crossing is reported once, though the node that evaluated is stopped in a round and wakes after its lease', async (context) => {
    const { a, b, clock, pass, settle, url } = await openNodes(context)
    await a.projects.create({ id: PROJECT, name: 'a project', createdAt: 0 }, [])
    const measures = { a: new MemoryMeasures(), b: new MemoryMeasures() }
    const errors: string[] = []
    const runnerOf = (node: typeof a, own: MemoryMeasures) => {
      const world = new MonitorWorld({
        stores: { monitors: node.monitors, leases: node.leases, journal: null as never },
      })
      const runner = new LeasedRunner({
        name: 'monitors',
        leases: node.leases,
        holder: node.name,
        timers: node.timers,
        async start(lease) {
          const evaluator = world.newEvaluator({
            leases: heldLease(lease, node.name),
            measures: own,
            clock,
            timers: node.timers,
            commitTransition: async (transition) => {
              await node.commit((version) => commitRecordOf(transition, version, clock.now()))
            },
            onError: (error, message) => errors.push(`${message}: ${String(error)}`),
          })
          evaluator.start()
          return evaluator
        },
        onError: (error, message) => errors.push(`${message}: ${String(error)}`),
      })
      return { world, runner }
    }
    const [ofA, ofB] = [runnerOf(a, measures.a), runnerOf(b, measures.b)]
    const monitor = await ofA.world.create()
    ofA.runner.start()
    await settle()
    ofB.runner.start()
    await pass(20, [a, b])
    assert.ok(measures.a.asked.together > 0)
    assert.equal(measures.b.asked.together, 0)

    const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
    const { promise: measuring, resolve: isMeasuring } = Promise.withResolvers<void>()
    measures.a.delay = () => {
      isMeasuring()
      return woken
    }
    for (const own of [measures.a, measures.b]) {
      for (let at = clock.time; at < clock.time + 60_000; at += 1000) {
        own.add(PROJECT, { at, metricId: SCORE, value: 20 })
      }
    }
    await pass(INTERVAL_MS / 1000, [a, b])
    await measuring
    // The node is stopped here.
    await pass(35, [b])
    assert.ok(measures.b.asked.together + measures.b.asked.over > 0, 'the other took over')
    assert.equal((await b.monitors.find(PROJECT, monitor.id))?.standing.state, 'fired')
    const standing = (await b.monitors.find(PROJECT, monitor.id))?.standing
    wake()
    await settle()
    assert.deepEqual((await b.monitors.find(PROJECT, monitor.id))?.standing, standing)
    await pass(3, [a])
    await ofA.runner.stop()
    await ofB.runner.stop()
    const reported = await server.query(url, 'SELECT state FROM monitor_history')
    assert.deepEqual(reported, [{ state: 'fired' }])
    assert.equal((await server.query(url, 'SELECT 1 AS row FROM journal')).length, 1)
    assert.deepEqual(errors, [])
  })

  test('the events of a discovery are in the journal once, though two nodes emit them', async (context) => {
    const { a, b, url } = await openNodes(context)
    const run = {
      projectId: PROJECT,
      key: numberedId('job', 1),
      events: [{ type: 'cluster.created' as const, clusterId: numberedId('clu', 1), data: '{}' }],
    }
    const emit = (node: typeof a) =>
      node.commit((version) => ({
        version,
        committedAt: NOON,
        lastTraceId: null,
        projects: [{ projectId: PROJECT, events: run.events }],
        traceKeys: [],
        stepKeys: [],
        metricEventKeys: [],
        superseded: [],
        attachments: [],
        deleted: [],
        removedEvents: [],
        monitorTransitions: [],
        onceEvents: [run],
        quietWaits: [],
      }))
    await Promise.all([emit(a), emit(b), emit(a), emit(b)])
    const [journal] = await server.query(url, 'SELECT count(*) AS rows FROM journal')
    assert.deepEqual(journal, { rows: '1' })
  })

  test('a due schedule adds one job, though two nodes find it', async (context) => {
    const { a, b } = await openNodes(context)
    const projectId = PROJECT
    await a.projects.create({ id: projectId, name: 'a project', createdAt: 0 }, [])
    const parameters = { windowHours: 24, kMin: 2, kMax: 4, onlyComplete: false, failureBy: 'status' }
    const schedule = { enabled: true, everyHours: 24, nextRunAt: NOON - 1, parameters }
    await a.schedules.put(projectId, schedule)
    const claim = (node: typeof a, number: number) =>
      node.schedules.claim({
        job: {
          id: numberedId('job', number),
          setId: projectId,
          lane: 'short',
          status: 'queued',
          parameters,
          attempts: 0,
          createdAt: NOON,
          startedAt: null,
          finishedAt: null,
          error: null,
          result: null,
          epoch: 0,
        },
        dueAt: NOON - 1,
        nextRunAt: NOON + 1000,
      })
    const claimed = await Promise.all([claim(a, 1), claim(b, 2), claim(a, 3)])
    assert.equal(claimed.filter(Boolean).length, 1)
  })

  test('nodes that start at once on an empty store make one project', async (context) => {
    const { a, b, clock } = await openNodes(context)
    const start = (node: typeof a, holder: string) =>
      whileLeased({ name: 'bootstrap', leases: node.leases, holder, timers: systemTimers }, () =>
        bootstrap(
          { ...node, clock, ids: createIdGenerator(clock, systemRandomBytes), randomBytes: systemRandomBytes },
          null,
        ),
      )
    const results = await Promise.all([start(a, 'a'), start(b, 'b'), start(a, 'c')])
    assert.equal(results.filter(({ firstStart }) => firstStart).length, 1)
    assert.equal(new Set(results.map(({ projectId }) => projectId)).size, 1)
  })

  test('a node that starts or sweeps leaves the uploads of other nodes alone, until they are dead', async (context) => {
    const { a, b, clock } = await openNodes(context)
    const removed: string[] = []
    const leasesOf = (node: typeof a, owner: string) =>
      new BlobLeases({
        blobs: { remove: async (key) => void removed.push(key) },
        media: node.media,
        owner,
        newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
        onError: (error) => assert.fail(String(error)),
      })
    const [ofA, ofB] = [leasesOf(a, 'a'), leasesOf(b, 'b')]
    const key = await ofA.begin(media.OWN)
    await ofB.recover({ keep: false })
    await ofB.sweep()
    clock.time += 14_000
    await ofA.renew()
    clock.time += 14_000
    await ofB.sweep()
    assert.deepEqual(removed, [])
    // It is stopped for longer than its lease, and wakes.
    clock.time += 15_000
    await leasesOf(b, 'a node that started later').recover({ keep: false })
    await ofB.sweep()
    assert.deepEqual(removed, [key])
    await ofA.renew()
    const outcome = await a.media.attach({ ...media.newAttachment({ projectId: media.OWN }), key }, 10, null)
    assert.equal(outcome.status, 'lease_ended')
  })
}
