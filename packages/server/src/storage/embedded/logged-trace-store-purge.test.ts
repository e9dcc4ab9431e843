import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { eventually } from '../../../../../e2e/lib/eventually.ts'
import { idAt, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { LoggedStoreWorld } from './logged-store-world.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'

const engine = await temporaryEngine()

test('a purged trace does not come back after a death: it is removed only when the log has let go of it', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 1000)
  const [gone, other] = [idAt('tr', Date.UTC(2026, 1, 1)), idAt('tr', Date.UTC(2026, 2, 1))]
  const pending = [{ projectId: PROJECT, traceId: gone }]
  await world.commit({ id: gone, steps: ['{}', '{"a":1}'], events: ['{}'] })
  await world.judge({ id: gone, events: ['{}', '{}'] }, { id: other, events: ['{}'] })
  await world.commit({ id: gone, fields: { deleted: true } })
  await world.store.settle()
  // The segment that holds the deleted trace also holds one that has not settled.
  await world.commit({ id: other, steps: ['{"a":1}'] })
  assert.deepEqual(await world.store.purgeTraces(pending), [])
  await assertRows([gone], 2, 3)
  await world.start()
  await world.assertSettled()
  await world.commit({ id: other, steps: ['{}'] })
  await purged(world.store, pending)
  await assertRows([gone], 0)
  await world.start()
  assert.deepEqual(await world.store.findTraces(PROJECT, [gone], world.journalVersion), [])
  await assertRows([gone], 0)
  await assertRows([other], 2, 1)
})

test('a purge goes on while others keep committing into the log', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 2000)
  const [gone, other] = [idAt('tr', Date.UTC(2026, 1, 2)), idAt('tr', Date.UTC(2026, 2, 2))]
  const pending = [{ projectId: PROJECT, traceId: gone }]
  await world.commit({ id: gone, steps: ['{}'] })
  await world.store.settle()
  await world.commit({ id: gone, fields: { deleted: true } })
  assert.deepEqual(await world.store.purgeTraces(pending), [], 'it is in memory')
  await assertRows([gone], 1)
  await purged(world.store, pending, async () => {
    await world.commit({ id: other, steps: ['{}'] })
    await world.store.settle()
    await world.commit({ id: other, steps: ['{}'] })
  })
  await world.start()
  assert.deepEqual(await world.store.findTraces(PROJECT, [gone], world.journalVersion), [])
  await assertRows([gone], 0)
  await assertRows([other], world.steps(other).length)
})

test('a trace is not purged before its newest metric events have left memory and log, which came with its deletion', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 3000)
  const gone = idAt('tr', Date.UTC(2026, 1, 3))
  const pending = [{ projectId: PROJECT, traceId: gone }]
  await world.commit({ id: gone, events: ['{}'] })
  await world.store.settle()
  await world.commit({ id: gone, events: ['{}', '{}'], fields: { deleted: true } })
  assert.deepEqual(await world.store.purgeTraces(pending), [])
  await assertRows([gone], 0, 1)
  await world.store.settle()
  await assertRows([gone], 0, 3)
  await purged(world.store, pending)
  await assertRows([gone], 0)
  await world.start()
  await assertRows([gone], 0)
  assert.deepEqual(await world.store.purgeTraces(pending), pending, 'again it does no harm')
})

test('a purge has not ended while a part is damaged: repairing it may restore purged rows', async (context) => {
  const world = await LoggedStoreWorld.open(context, engine, 4000)
  const gone = idAt('tr', Date.UTC(2026, 1, 4))
  const pending = [{ projectId: PROJECT, traceId: gone }]
  await world.commit({ id: gone, steps: ['{}'], fields: { deleted: true } })
  await world.store.settle()
  world.settledRecord.isWhole = false
  await eventually('the rows are gone', async () => {
    assert.deepEqual(await world.store.purgeTraces(pending), [])
    const [[rows] = []] = await engine.select(`SELECT count() FROM steps WHERE trace_id = '${gone}'`)
    return rows === 0
  })
  assert.deepEqual(await world.store.purgeTraces(pending), [])
  await assertRows([gone], 0)
  world.settledRecord.isWhole = true
  await purged(world.store, pending)
})

/** The engine removes rows in its own time. */
async function purged(
  store: LoggedStoreWorld['store'],
  pending: readonly { projectId: typeof PROJECT; traceId: TraceId }[],
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  await eventually('the purge has ended', async () => {
    const done = await store.purgeTraces(pending)
    if (done.length === 0) await between()
    else assert.deepEqual(done, pending)
    return done.length > 0
  })
}

async function assertRows(ids: readonly TraceId[], steps: number, events = 0): Promise<void> {
  const list = ids.map((id) => `'${id}'`).join(', ')
  assert.deepEqual(await engine.select(`SELECT count() FROM steps WHERE trace_id IN (${list})`), [[steps]])
  for (const table of ['metric_events', 'metric_points']) {
    assert.deepEqual(await engine.select(`SELECT count() FROM ${table} WHERE trace_id IN (${list})`), [[events]])
  }
}
