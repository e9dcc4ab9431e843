import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DamagedParts } from './damaged-parts.ts'
import { DamagedStore, TRACES, traceId } from './damaged-store.test-support.ts'

const store = await DamagedStore.create()
after(() => store.close())

test('a damaged merged part loses no row while the parts that it was merged from exist', async () => {
  const part = await store.newestPart('traces')
  // What a merge leaves on a full disk.
  await store.damage(part, 'data.cmrk4', () => Buffer.alloc(0))
  assert.deepEqual(await store.count('traces', 'id'), [TRACES, TRACES])
  assert.deepEqual(store.outcomes.splice(0), ['repaired'])
  const line = store.lines().at(-1) as { part: string; rowsLost: number; lost: unknown[] }
  assert.deepEqual([line.part, line.rowsLost, line.lost], [part.name, 0, []])
  await store.reopen()
  assert.deepEqual(await store.count('traces', 'id'), [TRACES, TRACES])
})

test('a torn part of a mutation is replaced by the part from before it, also when that one was torn too', async () => {
  const { engine } = store
  await engine.command('OPTIMIZE TABLE traces FINAL')
  const merged = await store.newestPart('traces')
  await engine.command(`ALTER TABLE traces DELETE WHERE id < '${traceId(10)}' SETTINGS mutations_sync = 2`)
  assert.deepEqual(await store.count('traces', 'id'), [TRACES - 10, TRACES - 10])
  const mutated = await store.newestPart('traces')
  for (const { path } of [merged, mutated]) {
    for (const file of ['columns.txt', 'checksums.txt', 'data.cmrk4']) truncateSync(join(path, file))
  }
  await store.forget()
  // The rows that the mutation removed come back, too, until the engine has run it again, or who started it does.
  const [row] = await engine.select(
    `SELECT countIf(id >= '${traceId(10)}'), uniqExact(id) FROM traces WHERE NOT ignore(*)`,
  )
  const [kept, all] = row as [number, number]
  assert.equal(kept, TRACES - 10)
  assert.ok(all === TRACES || all === TRACES - 10, `${all}`)
  assert.deepEqual(store.outcomes.splice(0), ['repaired'])
  assert.equal(store.record.notice()?.isLoss, false)
})

test('a part that was merged and damaged again is set aside again', async () => {
  for (let time = 0; time < 2; time++) {
    const part = await store.newestPart('steps')
    await store.damage(part, 'data.cmrk4', () => Buffer.alloc(0))
    assert.deepEqual(await store.count('steps', 'trace_id'), [TRACES, TRACES])
    await store.engine.command('OPTIMIZE TABLE steps FINAL')
  }
  assert.deepEqual(store.outcomes.splice(0), ['repaired', 'repaired'])
})

test('a table that could not be loaded again is loaded later', async () => {
  const part = await store.newestPart('steps')
  await store.damage(part, 'data.cmrk4', () => Buffer.alloc(0))
  const errors: unknown[] = []
  let fails = true
  const parts = new DamagedParts({
    session: {
      select: (sql) => store.engine.select(sql),
      command: async (sql) => {
        if (fails && sql.startsWith('ATTACH TABLE')) throw new Error('memory limit')
        await store.engine.command(sql)
      },
      alone: (work) => work(),
    },
    record: store.record,
    clock: store.clock,
    clearTornInserts: async () => undefined,
    onDamage: () => undefined,
    onError: (error) => errors.push(error),
  })
  assert.equal(await parts.setKnownAside(part, 'damaged'), false)
  assert.match(String(errors), /memory limit/)
  await assert.rejects(store.count('steps', 'trace_id'))
  assert.equal(parts.isLoaded, false)
  await parts.finish()
  assert.equal(errors.length, 2)
  fails = false
  await parts.finish()
  assert.equal((await store.count('steps', 'trace_id'))[0], TRACES)
})

test('damaged source parts are not used, and their rows count as lost too', async () => {
  await store.engine.command('OPTIMIZE TABLE steps FINAL')
  store.outcomes.splice(0)
  const part = await store.part('steps')
  await store.damage(part, 'data.bin')
  assert.deepEqual(await store.count('steps', 'trace_id'), [0, 0])
  assert.equal(store.record.lostRows().get('steps'), TRACES)
  assert.deepEqual(store.outcomes.splice(0), ['set_aside'])
})
