import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DamagedStore, TRACES, traceId } from './damaged-store.test-support.ts'

const store = await DamagedStore.create()
after(() => store.close())

test('a damaged merged part loses no row while the parts that it was merged from exist', async () => {
  const part = await store.newestPart('traces')
  // What a merge leaves on a full disk.
  await store.damage(part, 'data.cmrk4', () => Buffer.alloc(0))
  assert.deepEqual(await store.count('traces', 'id'), [TRACES, TRACES])
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  const line = store.lines().at(-1) as { part: string; rowsKept: number; rowsLost: number; lost: unknown[] }
  assert.deepEqual([line.part, line.rowsKept, line.rowsLost, line.lost], [part.name, TRACES, 0, []])
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
  // With the rows that the mutation removed: whoever started it looks for them again.
  assert.deepEqual(await store.count('traces', 'id'), [TRACES, TRACES])
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  assert.equal(store.record.notice()?.isLoss, false)
})

test('damaged source parts are not used', async () => {
  const part = await store.part('steps')
  await store.damage(part, 'data.bin')
  const [rows, distinct] = await store.count('steps', 'trace_id')
  assert.ok(rows < TRACES && rows >= TRACES - 512, `${rows} rows`)
  assert.equal(rows, distinct)
  assert.equal(store.record.lostRows().get('steps'), TRACES - rows)
})
