import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { eventually } from '../../../../../../e2e/lib/eventually.ts'
import { idAt, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import type { StoredTrace } from '../../../ports/traces/trace-store.ts'
import { LoggedStoreWorld } from '../../embedded/logged-store-world.test-support.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { TracePurge } from './trace-purge.ts'

const engine = await temporaryEngine()
const TABLES = { traces: 'id', steps: 'trace_id', metric_events: 'trace_id', metric_points: 'trace_id' }

test('deleted rows leave the parts; other rows of the same parts remain', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 1000)
  const [gone, alone, kept] = [
    idAt('tr', Date.UTC(2026, 3, 1)),
    idAt('tr', Date.UTC(2026, 4, 1)),
    idAt('tr', Date.UTC(2026, 3, 2)),
  ]
  for (const id of [gone, kept, alone]) await world.commit({ id, steps: ['{"a":1}', '{}'], events: ['{}'] })
  for (const id of [gone, alone]) await world.commit({ id, fields: { deleted: true } })
  await world.store.settle()
  const batch = [gone, alone].map((traceId): StoredTrace => ({ projectId: PROJECT, traceId }))
  await purged(() => world.store.purgeTraces(batch), batch)
  assert.deepEqual(await storedRows(gone), { traces: 0, steps: 0, metric_events: 0, metric_points: 0 })
  assert.deepEqual(await storedRows(alone), { traces: 0, steps: 0, metric_events: 0, metric_points: 0 })
  assert.deepEqual(await storedRows(kept), { traces: 1, steps: 2, metric_events: 1, metric_points: 1 })
})

test('a tombstone remains until no part contains a version or an event that it hides', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 2000)
  const ids = [0, 1, 2].map((index) => idAt('tr', Date.UTC(2026, 5, 1 + index)))
  for (const id of ids) await world.commit({ id, steps: ['{}'], events: ['{}', '{}'] })
  await world.store.settle()
  for (const id of ids) await world.commit({ id, fields: { deleted: true } })
  await world.store.settle()
  const batch = ids.slice(0, 2).map((traceId): StoredTrace => ({ projectId: PROJECT, traceId }))
  await purged(async () => {
    const done = await world.store.purgeTraces(batch)
    for (const id of ids.slice(0, 2)) {
      const { steps, metric_events: events } = await storedRows(id)
      const tombstones = await engine.select(`SELECT count() FROM traces WHERE id = '${id}' AND deleted = 1`)
      const hidden = await engine.select(`SELECT count() FROM traces WHERE id = '${id}' AND deleted = 0`)
      if ((tombstones[0]?.[0] as number) === 0) {
        assert.deepEqual([steps, events, hidden], [0, 0, [[0]]], 'the tombstone was removed first')
      }
    }
    return done
  }, batch)
  assert.equal((await storedRows(ids[2] as TraceId)).traces, 2, 'another deleted trace waits for its own batch')
})

test('a new batch ends the work of the previous one', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 3000)
  const ids = [0, 1].map((index) => idAt('tr', Date.UTC(2026, 7, 1 + index)))
  for (const id of ids) await world.commit({ id, steps: ['{}'], fields: { deleted: true } })
  await world.store.settle()
  const [first, second] = ids.map((traceId): StoredTrace[] => [{ projectId: PROJECT, traceId }])
  const purge = new TracePurge(engine)
  assert.deepEqual(await purge.step(first ?? []), [])
  const both = [...(first ?? []), ...(second ?? [])]
  await purged(() => purge.step(both), both)
  for (const id of ids) assert.equal((await storedRows(id)).traces, 0)
})

test('a batch whose names are lost is named again: of a server that restarted, or by another process', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 4000)
  const ids = [0, 1].map((index) => idAt('tr', Date.UTC(2026, 8, 1 + index)))
  for (const id of ids) await world.commit({ id, steps: ['{}'], fields: { deleted: true } })
  await world.store.settle()
  const [first, second] = ids.map((traceId): StoredTrace[] => [{ projectId: PROJECT, traceId }])
  const [purge, other] = [new TracePurge(engine), new TracePurge(engine)]
  assert.deepEqual(await purge.step(first ?? []), [])
  assert.deepEqual(await other.step(second ?? []), [])
  await purged(() => purge.step(first ?? []), first ?? [])
  assert.equal((await storedRows(ids[0] as TraceId)).traces, 0)
  await purged(() => other.step(second ?? []), second ?? [])
  assert.equal((await storedRows(ids[1] as TraceId)).traces, 0)
})

test('points of an expired trace stay without its id', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 5000)
  const [expired, deleted, kept] = [0, 1, 2].map((index) => idAt('tr', Date.UTC(2026, 10, 1 + index)))
  assert.ok(expired && deleted && kept)
  for (const id of [expired, deleted, kept]) await world.commit({ id, steps: ['{}'], events: ['{}'] })
  await world.commit({ id: expired, fields: { deleted: 'expired' } })
  await world.commit({ id: deleted, fields: { deleted: true } })
  await world.store.settle()
  const points = `SELECT count(), countIf(trace_id = '') FROM metric_points WHERE ver >= 5000`
  assert.deepEqual(await engine.select(points), [[3, 0]])
  const batch: StoredTrace[] = [
    { projectId: PROJECT, traceId: expired, isExpired: true },
    { projectId: PROJECT, traceId: deleted },
  ]
  await purged(() => world.store.purgeTraces(batch), batch)
  assert.deepEqual(await engine.select(points), [[2, 1]])
  for (const id of [expired, deleted]) {
    assert.deepEqual(await storedRows(id), { traces: 0, steps: 0, metric_events: 0, metric_points: 0 })
  }
})

async function storedRows(id: TraceId): Promise<Record<keyof typeof TABLES, number>> {
  const counts = await Promise.all(
    Object.entries(TABLES).map(async ([table, column]) => {
      const rows = await engine.select(
        `SELECT count() FROM ${table} WHERE ${column} = '${id}' SETTINGS apply_deleted_mask = 0`,
      )
      return [table, rows[0]?.[0]]
    }),
  )
  return Object.fromEntries(counts) as Record<keyof typeof TABLES, number>
}

/** The engine rewrites parts asynchronously. */
async function purged(step: () => Promise<readonly StoredTrace[]>, expected: readonly StoredTrace[]): Promise<void> {
  let done: readonly StoredTrace[] = []
  await eventually('the purge has ended', async () => (done = await step()).length > 0)
  assert.deepEqual(done, expected)
}
