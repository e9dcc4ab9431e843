import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { idAt } from '../../traces/trace-builders.test-support.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { LoggedStoreWorld, never, withInsert } from './logged-store-world.test-support.ts'
import { rowsOf } from '../clickhouse/rows/rows-of.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { SETTLE_AFTER_MS } from './settle/settler.ts'

const engine = await temporaryEngine()

/** White space of every kind between the values, and an empty line; braces beside line ends. */
const PRINTED = JSON.stringify(
  { messages: [{ role: 'user', content: [{}, { a: '}\n{' }] }], metadata: { b: {} } },
  null,
  2,
)
const SPACED = '{\r\n\r\n\t"a" :\n{\n}\n\n,"b":[\n{\n}\n,\n{\n}\n]\n}'

/** Versions of a thousand and traces that no other test uses. */
let begun = 0
function own(): { readonly firstVersion: number; readonly ids: readonly TraceId[] } {
  const firstVersion = (begun += 1) * 1000
  // Of three months.
  const ids = [0, 1, 2, 3].map((index) => idAt('tr', Date.UTC(2026, index % 3, 1 + begun), index + 1))
  return { firstVersion, ids }
}

async function opened(context: TestContext) {
  const { firstVersion, ids } = own()
  const world = await LoggedStoreWorld.open(context, engine, firstVersion)
  return { world, ids: ids as [TraceId, TraceId, TraceId, TraceId] }
}

/** Traces of three months, several versions of one, one deleted, hostile white space. */
async function commitSome(world: LoggedStoreWorld, [a, b, c]: readonly TraceId[]): Promise<void> {
  await world.commit(
    { id: a!, steps: ['{}', PRINTED], events: [SPACED, '{}'], fields: { metadata: Buffer.from(SPACED) } },
    { id: b!, steps: [SPACED], fields: { metadata: Buffer.from(PRINTED) } },
  )
  await world.commit({ id: a!, steps: [SPACED] }, { id: c!, steps: [PRINTED, PRINTED, '{"n":1}'], events: [PRINTED] })
  await world.judge({ id: a!, events: ['{}', PRINTED] }, { id: c!, events: [SPACED] })
  await world.commit({ id: b!, fields: { deleted: true } }, { id: a! })
}

/** What had happened when the process died, after the commits above. */
const DEATHS: Record<string, (world: LoggedStoreWorld, ids: readonly TraceId[]) => Promise<void>> = {
  'nothing had settled': async () => undefined,
  'the steps were in the engine, the traces were not': (world, ids) => diesSettling(world, ids, 'steps'),
  'the newest traces were in the engine, without their steps and without those before': async (world) => {
    const { traces } = world.committed.at(-1)!
    await new ClickHouseTraceStore(engine).insert(rowsOf(traces, []))
  },
  'steps and traces were in the engine, the metric events were not': (world, ids) => diesSettling(world, ids, 'traces'),
  'the metric events were in one of their tables': (world, ids) => diesSettling(world, ids, 'metric_events'),
  'all was in the engine, and nobody knew': (world, ids) => diesSettling(world, ids, 'metric_points'),
  'nothing but metric events had not settled': async (world, [a, , c]) => {
    await world.store.settle()
    await world.judge({ id: a!, events: [SPACED] })
    await world.judge({ id: c!, events: ['{}', PRINTED] })
  },
  'all had settled, and the log was still there': async (world) => world.store.settle(),
  'some had settled, others had not': async (world, [a, b, , d]) => {
    await world.store.settle()
    await world.commit({ id: a!, steps: [PRINTED] }, { id: d!, steps: ['{}'] })
    await world.commit({ id: b!, fields: { deleted: true, name: 'again' } })
  },
  'a commit stood in the log that was never acknowledged': async (world, [a, , , d]) => {
    await world.store.settle()
    await world.commit({ id: a!, steps: ['{}'] })
    await world.store.stage(
      world.toCommit([
        { id: a!, steps: [PRINTED] },
        { id: d!, steps: ['{}'] },
      ]),
    )
  },
  'the log was the only one to know of one that the journal holds': async (world, [a, , , d]) => {
    const commit = world.toCommit([
      { id: a!, steps: [PRINTED] },
      { id: d!, steps: ['{}'] },
    ])
    await world.store.stage(commit)
    world.acknowledge(commit)
  },
}

/** In the order in which they are filled. */
const TABLES = ['steps', 'traces', 'metric_events', 'metric_points'] as const
type Table = (typeof TABLES)[number]

/** Commits once more; when the rows of the table `last` are in the engine it goes no further. */
async function diesSettling(world: LoggedStoreWorld, ids: readonly TraceId[], last: Table): Promise<void> {
  await world.store.settle()
  const { promise: there, resolve } = Promise.withResolvers<void>()
  const inserts: Promise<void>[] = []
  await world.start(
    withInsert(engine, async (table, real) => {
      if (TABLES.indexOf(table as Table) > TABLES.indexOf(last)) return never()
      const insert = real()
      inserts.push(insert)
      await insert
      if (table !== last) return
      resolve()
      await never()
    }),
  )
  await world.commit({ id: ids[0]!, steps: [SPACED, '{}'], events: [PRINTED] }, { id: ids[3]!, steps: [PRINTED] })
  await world.judge({ id: ids[3]!, events: ['{}', SPACED] })
  await world.commit({ id: ids[0]!, steps: ['{}'] }, { id: ids[2]! })
  world.timers.advance(1000)
  await there
  await Promise.all(inserts)
}

for (const [name, die] of Object.entries(DEATHS)) {
  test(`after a death everything acknowledged is there once: ${name}`, async (context) => {
    const { world, ids } = await opened(context)
    await commitSome(world, ids)
    await die(world, ids)
    await world.start()
    await world.assertSettled()
    await world.assertReads()
    assert.deepEqual(readdirSync(world.directory).length, 1, 'one segment, a new one')
    // A second start, and one after more commits, one of which never ended.
    await world.start()
    await world.assertSettled()
    await world.commit({ id: ids[1], fields: { deleted: true } }, { id: ids[3], steps: [SPACED] })
    await world.store.stage(world.toCommit([{ id: ids[3], steps: [PRINTED] }]))
    await world.assertReads()
    await world.start()
    await world.assertSettled()
    await world.assertReads()
    assert.deepEqual(world.errors, [])
  })
}

test('a start that the engine breaks off is made again', async (context) => {
  for (const broken of TABLES) {
    const { world, ids } = await opened(context)
    await commitSome(world, ids)
    const failing = withInsert(engine, (table, real) =>
      table === broken ? Promise.reject(new Error('no disk')) : real(),
    )
    for (let turn = 0; turn < 2; turn++) await assert.rejects(world.start(failing), /no disk/)
    await assertRows(ids, broken === 'steps' ? 0 : world.committed.flatMap(({ steps }) => steps).length)
    await world.start()
    await world.assertSettled()
    await world.assertReads()
  }
})

async function assertRows(ids: readonly TraceId[], steps: number): Promise<void> {
  const list = ids.map((id) => `'${id}'`).join(', ')
  assert.deepEqual(await engine.select(`SELECT count() FROM steps WHERE trace_id IN (${list})`), [[steps]])
}

test('an insert that failed half-way while the service ran is made good, without a restart and with one', async (context) => {
  for (const [restarts, broken] of [false, true].flatMap((end) => TABLES.map((table) => [end, table] as const))) {
    const { world, ids } = await opened(context)
    let failing = true
    await world.start(
      withInsert(engine, (table, real) =>
        failing && table === broken ? Promise.reject(new Error('no disk')) : real(),
      ),
    )
    await commitSome(world, ids)
    world.timers.advance(SETTLE_AFTER_MS)
    while (world.errors.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await world.assertReads()
    await world.commit({ id: ids[3], steps: [PRINTED] }, { id: ids[0], steps: ['{}'], events: ['{}'] })
    await world.assertReads()
    failing = false
    if (restarts) {
      await world.start()
    } else {
      world.timers.advance(1000)
      await world.store.settle()
      assert.equal(world.recoveries, 1)
    }
    await world.assertReads()
    await world.assertSettled()
  }
})

test('several versions of one trace that settled one after the other are not inserted again', async (context) => {
  const { world, ids } = await opened(context)
  for (let turn = 0; turn < 8; turn++) {
    await world.commit({ id: ids[0], steps: ['{}'] }, { id: ids[turn % 3] === ids[0] ? ids[3] : ids[turn % 3]! })
    await world.store.settle()
  }
  await world.start()
  await world.assertSettled()
  await world.assertReads()
})

test('an orderly end leaves nothing to do at the next start, and a folder that is not there is a start too', async (context) => {
  const { world, ids } = await opened(context)
  await commitSome(world, ids)
  await world.store.close()
  await world.assertSettled()
  await world.start(withInsert(engine, () => assert.fail('all is there')))
  await world.assertReads()
})

test('an engine that takes nothing at the end leaves everything in the log for the next start', async (context) => {
  const { world, ids } = await opened(context)
  await world.start(withInsert(engine, () => Promise.reject(new Error('no disk'))))
  await commitSome(world, ids)
  await assert.rejects(world.store.close(), /no disk/)
  await world.start()
  await world.assertSettled()
  await world.assertReads()
})
