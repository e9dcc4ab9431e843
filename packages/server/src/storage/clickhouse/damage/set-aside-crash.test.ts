import assert from 'node:assert/strict'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { DamageRecord } from './damage-record.ts'
import { DamagedStore, TRACES } from './damaged-store.test-support.ts'
import type { ExclusiveSession } from './exclusive-session.ts'
import { setPartAside } from './set-part-aside.ts'
import type { TablePart } from './table-part.ts'

const store = await DamagedStore.create()
const whole = await store.snapshot()
after(() => store.close())

const CRASHES = ['unloaded', 'recorded', 'moved'] as const

/** Sets the part aside, and ends at this point without another statement, as a crash does. */
async function crashAt(point: (typeof CRASHES)[number], part: TablePart): Promise<void> {
  const crash = new Error('crash')
  const session: ExclusiveSession = {
    select: (sql) => store.engine.select(sql),
    command: (sql) => store.engine.command(sql),
    alone: (work) => work(),
  }
  const record: Pick<DamageRecord, 'setAside'> = {
    setAside: async (aside) => {
      if (point === 'unloaded') throw crash
      await store.record.setAside(aside)
      if (point === 'recorded') throw crash
    },
  }
  const reload = async (edit: () => Promise<boolean>): Promise<boolean> => {
    await store.engine.command(`DETACH TABLE ${part.table}`)
    await edit()
    throw crash
  }
  await assert.rejects(setPartAside(session, record, part, { message: 'checksum', reload }), crash)
  await store.reopen()
}

for (const [name, find, expected] of [
  ['without sources', (each: DamagedStore) => each.part('traces'), 0],
  ['with sources', (each: DamagedStore) => each.newestPart('traces'), TRACES],
] as const) {
  test(`after a crash at any point, a damaged part ${name} is set aside and no other row is lost`, async () => {
    for (const point of CRASHES) {
      await store.restore(whole)
      const part = await find(store)
      await store.damage(part, 'data.bin')
      await crashAt(point, part)
      assert.deepEqual(await store.count('traces', 'id'), [expected, expected], point)
      assert.deepEqual(await store.count('steps', 'trace_id'), [TRACES, TRACES], point)
      assert.equal(store.record.isLost('traces', part.name), expected === 0, point)
    }
  })
}

test('a part that a merge has replaced is not set aside', async () => {
  await store.restore(whole)
  const part = await store.part('steps')
  appendFileSync(join(part.path, 'skp_idx_ver_index.idx2'), 'x')
  const session: ExclusiveSession = {
    select: (sql) => store.engine.select(sql),
    command: (sql) => store.engine.command(sql),
    alone: async (work) => {
      await store.engine.command(
        `DELETE FROM steps WHERE trace_id IN (SELECT trace_id FROM steps LIMIT 10) SETTINGS lightweight_deletes_sync = 1`,
      )
      return work()
    },
  }
  const reload = async (edit: () => Promise<boolean>): Promise<boolean> => {
    await store.engine.command('DETACH TABLE steps')
    const edited = await edit()
    await store.engine.command('ATTACH TABLE steps')
    return edited
  }
  assert.equal(await setPartAside(session, store.record, part, { message: 'checksum', reload }), 'gone')
  const left = [TRACES - 10, TRACES - 10]
  assert.deepEqual(await store.count('steps', 'trace_id'), left)
  assert.ok(!existsSync(store.recordPath))
})
