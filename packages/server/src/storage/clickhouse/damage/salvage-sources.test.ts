import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DamagedStore, TRACES } from './damaged-store.test-support.ts'

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

test('damaged source parts are not used', async () => {
  const part = await store.part('steps')
  await store.damage(part, 'data.bin')
  const [rows, distinct] = await store.count('steps', 'trace_id')
  assert.ok(rows < TRACES && rows >= TRACES - 512, `${rows} rows`)
  assert.equal(rows, distinct)
  assert.equal(store.record.lostRows().get('steps'), TRACES - rows)
})
