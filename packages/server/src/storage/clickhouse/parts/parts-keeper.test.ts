import assert from 'node:assert/strict'
import { globSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { type BrokenPart, PartsKeeper } from './parts-keeper.ts'
import { readPartsRecord } from './parts-record.ts'

const engine = await temporaryEngine()

function keeperIn(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-parts-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'telemetry.parts')
  const changes: (readonly BrokenPart[])[] = []
  const repaired: BrokenPart[] = []
  const commands: string[] = []
  const timers = new ManualTimers()
  const reads = { count: 0 }
  const tables = { areLoaded: true }
  const keeper = new PartsKeeper({
    engine: {
      select: (sql) => {
        reads.count++
        return engine.select(sql)
      },
      command: async (sql) => {
        commands.push(sql)
        await engine.command(sql)
      },
      repairPart: async (part) => repaired.push(part) > 0,
      finishRepairs: async () => undefined,
      isLoaded: () => tables.areLoaded,
    },
    path,
    storeId: 'store',
    recorded: null,
    timers,
    onActive: () => undefined,
    onBroken: (parts) => changes.push(parts),
    onError: (error) => assert.fail(String(error)),
  })
  const names = async () =>
    (await readPartsRecord(path))?.parts.filter(({ table }) => table === 'steps').map(({ name }) => name) ?? []
  return { keeper, tables, timers, reads, path, changes, repaired, names, commands }
}

async function insertSteps(version: number): Promise<void> {
  const row = {
    project_id: 'proj_a',
    trace_id: `tr_${version}`,
    position: 0,
    id: `st_${version}`,
    ver: version,
    trace_created_at: '2026-11-22 12:00:00.000',
    text: `some words ${version}`,
    body: '{}',
  }
  await engine.insert('steps', Buffer.from(`${JSON.stringify(row)}\n`))
}

/** The newest active part of steps. */
async function newestPart(): Promise<{ readonly name: string; readonly folder: string }> {
  const [row] = await engine.select(
    "SELECT name, path FROM system.parts WHERE table = 'steps' AND active ORDER BY max_block_number DESC LIMIT 1",
  )
  return { name: row?.[0] as string, folder: row?.[1] as string }
}

test('the record keeps its parts while a table is not loaded', async (context) => {
  const { keeper, tables, names, changes, commands } = keeperIn(context)
  await insertSteps(100)
  assert.equal(await keeper.record(100), 100)
  const recorded = await names()
  assert.ok(recorded.length > 0)
  await engine.command('DETACH TABLE steps')
  tables.areLoaded = false
  await engine.insert('settled_batches', Buffer.from('{"log":"a","ver":1}'))
  const [path] = await engine.select("SELECT path FROM system.parts WHERE table = 'settled_batches' AND active")
  truncateSync(join(path?.[0] as string, 'checksums.txt'))
  assert.equal(await keeper.record(101), 100)
  assert.deepEqual(await names(), recorded)
  // Parts of the other tables are watched.
  assert.equal(changes.at(-1)?.[0]?.table, 'settled_batches')
  assert.deepEqual(commands, ['SYSTEM STOP CLEANUP settled_batches'])
  await engine.command('TRUNCATE TABLE settled_batches')
  await engine.command('ATTACH TABLE steps')
  tables.areLoaded = true
  assert.equal(await keeper.record(101), 101)
  await engine.command('TRUNCATE TABLE steps')
})

test('a minute after the last change only each fourth round reads the parts; a commit or a merge ends that', async (context) => {
  const { keeper, timers, reads, names } = keeperIn(context)
  await engine.command('SYSTEM STOP MERGES steps')
  await insertSteps(1)
  await insertSteps(2)
  let settled = 2
  let ended = Promise.withResolvers<void>()
  keeper.start(
    () => settled,
    async () => ended.resolve(),
  )
  /** How many of so many rounds read the parts. */
  const rounds = async (count: number) => {
    let reading = 0
    for (let round = 0; round < count; round++) {
      const before = reads.count
      ended = Promise.withResolvers()
      timers.advance(3000)
      await setImmediate()
      if (reads.count === before) continue
      await ended.promise
      await setImmediate()
      reading++
    }
    return reading
  }
  await rounds(1)
  assert.equal(await rounds(20), 20)
  assert.equal(await rounds(12), 3)
  settled = 3
  assert.equal(await rounds(3), 3)
  await rounds(40)
  await engine.command('SYSTEM START MERGES steps')
  await engine.command('OPTIMIZE TABLE steps FINAL')
  const { name } = await newestPart()
  await rounds(4)
  assert.deepEqual(await names(), [name])
  assert.equal(await rounds(8), 8)
  await keeper.stop()
  await engine.command('TRUNCATE TABLE steps')
})

test('a merged part replaces its sources in the record only when it is complete', async (context) => {
  const { keeper, path, changes, repaired, names, commands } = keeperIn(context)
  await insertSteps(1)
  await insertSteps(2)
  assert.equal(await keeper.record(2), 2)
  const inserted = await names()
  assert.equal(inserted.length, 2)

  await engine.command('OPTIMIZE TABLE steps FINAL')
  const { name: merged, folder } = await newestPart()
  const [index = ''] = globSync(join(folder, 'skp_idx_text_index.dct.idx'))
  truncateSync(index, 0)
  assert.equal(await keeper.record(3), 2, 'the log retains later commits')
  assert.deepEqual(await names(), inserted)
  assert.deepEqual(
    changes.map((parts) => parts.map(({ name }) => name)),
    [[merged]],
  )
  assert.match(changes[0]?.[0]?.what ?? '', /skp_idx_text_index\.dct\.idx has 0 of \d+ bytes/)
  assert.deepEqual(
    commands.splice(0),
    ['SYSTEM STOP CLEANUP steps', 'ALTER TABLE steps MODIFY SETTING old_parts_lifetime = 315360000'],
    'the engine removes no merged part',
  )
  assert.equal(keeper.isWhole, false)
  await keeper.record(3)
  assert.deepEqual([changes.length, repaired.length], [1, 2], 'reported once, retried each time')
  assert.deepEqual(commands.splice(0), ['SYSTEM STOP CLEANUP steps'], 'a table that was loaded again forgets it')

  // Rewritten, as a repair does.
  await engine.command('ALTER TABLE steps CLEAR INDEX text_index')
  assert.equal(await keeper.record(4), 4)
  assert.deepEqual([changes.length, changes.at(-1)], [2, []])
  assert.deepEqual(commands, ['ALTER TABLE steps MODIFY SETTING old_parts_lifetime = 60', 'SYSTEM START CLEANUP steps'])
  assert.equal(keeper.isWhole, true)
  assert.equal((await names()).length, 1)
  assert.equal((await readPartsRecord(path))?.settledThrough, 4)
})

test('a part without its checksums is broken, and so is an inserted part that a full disk left torn', async (context) => {
  const { keeper, changes, names } = keeperIn(context)
  await engine.command('OPTIMIZE TABLE steps FINAL')
  rmSync(join((await newestPart()).folder, 'checksums.txt'))
  await keeper.record(5)
  assert.deepEqual(
    changes.at(-1)?.map(({ what }) => what),
    ['checksums.txt is missing'],
  )
  // The engine makes a new list.
  await engine.select('CHECK TABLE steps SETTINGS check_query_single_value_result = 0')
  await keeper.record(5)
  assert.deepEqual(changes.at(-1), [])
  const before = await names()
  await insertSteps(6)
  const { name, folder } = await newestPart()
  truncateSync(join(folder, 'columns.txt'), 0)
  truncateSync(join(folder, 'checksums.txt'), 0)
  assert.equal(await keeper.record(6), 5)
  assert.deepEqual(await names(), before)
  assert.deepEqual(
    changes.at(-1)?.map((part) => part.name),
    [name],
  )
})
