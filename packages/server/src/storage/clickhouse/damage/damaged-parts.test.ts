import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { DamagedStore, flipAt, TRACES, traceId } from './damaged-store.test-support.ts'
import { verifyParts, type VerifiedPart } from '../../check/check-telemetry.ts'

const store = await DamagedStore.create()
after(() => store.close())

/** All rows of a table whose only part was set aside are lost. The next test has the table as it was. */
async function assertLost(table: 'traces' | 'steps'): Promise<void> {
  const distinct = table === 'traces' ? 'id' : 'trace_id'
  assert.deepEqual(await store.count(table, distinct), [0, 0])
  assert.deepEqual(store.outcomes.splice(0), ['set_aside'])
}

test('a broken text index loses no row; a merge makes it again', async () => {
  const words =
    "SELECT trace_id FROM steps WHERE project_id = 'proj_a' AND hasAllTokens(concat(lower(text), ' ', words), ['hello']) LIMIT 3"
  const part = await store.part('steps')
  const indexes = store.files(part).filter((name) => /^skp_idx_text_index.*(idx|cmrk4)$/.test(name))
  assert.ok(indexes.length >= 5, indexes.join())
  // Removed, or truncated to nothing; then the engine does not name the part.
  rmSync(join(part.path, 'skp_idx_text_index.dct.idx'))
  await store.forget()
  assert.equal((await store.engine.select(words)).length, 3)
  await store.engine.command('OPTIMIZE TABLE steps FINAL')
  const next = await store.part('steps')
  assert.ok(store.files(next).includes('skp_idx_text_index.dct.idx'))
  await store.damage(next, 'skp_idx_text_index.idx', () => Buffer.alloc(0))
  assert.equal((await store.engine.select(words)).length, 3)
  assert.deepEqual(await store.count('steps', 'trace_id'), [TRACES, TRACES])
  assert.deepEqual(store.outcomes.splice(0), ['repaired', 'repaired'])
  assert.deepEqual(
    store.lines().map(({ kind, table, part: name, rowsLost, lost }) => [kind, table, name, rowsLost, lost]),
    [part, next].map(({ name }) => ['set_aside', 'steps', name, 0, []]),
  )
  assert.deepEqual(store.record.notice(), {
    text: '2 damaged parts had to be repaired, without losing a row; see damage.jsonl, run spoor check',
    isLoss: false,
  })
})

test('a flipped bit loses the part, whose rows are named; rows of other parts and tables are read', async () => {
  const whole = await store.snapshot()
  const part = await store.part('traces')
  const later = { project_id: 'proj_a', id: traceId(TRACES), ver: TRACES + 1, created_at: '2026-11-23 12:00:00.000' }
  await store.engine.insert('traces', Buffer.from(`${JSON.stringify({ ...later, record: '{}' })}\n`))
  await store.damage(part, 'data.bin')
  const verified: VerifiedPart[] = []
  await verifyParts(store.engine, (each) => void verified.push(each))
  assert.deepEqual(
    verified.filter(({ ok }) => !ok).map(({ table, part: name, rows }) => [table, name, rows]),
    [['traces', part.name, TRACES]],
  )
  assert.deepEqual(await store.count('traces', 'id'), [1, 1])
  assert.deepEqual(await store.count('steps', 'trace_id'), [TRACES, TRACES])
  const line = store.lines().at(-1) as { lost: { id: string; ver: number }[]; rowsLost: number; folder: string }
  assert.deepEqual(
    [line.rowsLost, line.lost.map(({ id }) => id).sort()],
    [TRACES, Array.from({ length: TRACES }, (_, at) => traceId(at))],
  )
  const [first] = line.lost
  assert.equal(store.record.lostVersion('proj_a' as never, first?.id as never), first?.ver)
  assert.equal(store.record.lostVersion('proj_a' as never, traceId(TRACES) as never), null)
  assert.ok(existsSync(join(line.folder, 'data.bin')))
  assert.equal(
    store.record.notice()?.text,
    `${TRACES} rows of traces were set aside with 1 damaged part: only a backup has them; see damage.jsonl, run spoor check`,
  )
  assert.deepEqual(store.outcomes.splice(0), ['set_aside'])
  await verifyParts(store.engine, ({ ok, table }) => assert.ok(ok, table))
  await store.restore(whole)
})

test('concurrent reads that meet the same damage set the part aside once, and all succeed', async () => {
  const whole = await store.snapshot()
  await store.damage(await store.part('steps'), 'data.bin', flipAt(0.3))
  const counts = await Promise.all(Array.from({ length: 6 }, () => store.count('steps', 'trace_id')))
  for (const count of counts) assert.deepEqual(count, [0, 0])
  await assertLost('steps')
  assert.equal(store.record.lostRows().get('steps'), TRACES)
  await store.restore(whole)
})

test('lost rows of traces with unreadable ids are reported as a range of ids up to a version', async () => {
  const whole = await store.snapshot()
  const { engine, record } = store
  await engine.command('ALTER TABLE traces MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0')
  await engine.command('OPTIMIZE TABLE traces FINAL')
  await store.damage(await store.part('traces'), 'id.bin')
  await assertLost('traces')
  const line = store.lines().at(-1) as { lost: unknown[]; unnamed: unknown[] }
  assert.deepEqual([line.lost, line.unnamed.length], [[], 1])
  for (const at of [0, 1, TRACES / 2, TRACES - 1])
    assert.equal(record.lostVersion('proj_a' as never, traceId(at) as never), TRACES)
  assert.equal(record.lostVersion('proj_a' as never, traceId(TRACES) as never), null)
  assert.equal(record.lostVersion('proj_b' as never, traceId(1) as never), null)
  await store.restore(whole)
})

test('a part without readable marks leaves a gap, not an error', async () => {
  const whole = await store.snapshot()
  const part = await store.part('steps')
  const marks = store.files(part).find((name) => /^(data|body)\.c?mrk\d$/.test(name)) as string
  rmSync(join(part.path, marks))
  await store.forget()
  await assertLost('steps')
  await store.restore(whole)
})

test('a part that cannot be set aside fails its reads as damaged; it is tried again later, not by every read', async () => {
  const part = await store.part('traces')
  await store.damage(part, 'data.bin', flipAt(0.7))
  const { setAside } = store.record
  store.record.setAside = () => Promise.reject(new Error('disk full'))
  const damaged = (error: unknown) => error instanceof DomainError && error.code === 'storage_damaged'
  await assert.rejects(store.count('traces', 'id'), damaged)
  await assert.rejects(store.count('traces', 'id'), damaged)
  assert.equal(store.errors.splice(0).length, 1)
  assert.match(
    store.record.notice()?.text ?? '',
    /the part traces \S+ is damaged and could not be set aside: disk full/,
  )
  assert.equal((await store.part('traces')).name, part.name)
  store.record.setAside = setAside
  store.clock.advance(60_000)
  await assertLost('traces')
  assert.equal(store.record.lostRows().get('traces'), TRACES)
  assert.doesNotMatch(store.record.notice()?.text ?? '', /could not be set aside/)
})

test('the record is loaded at the start, and reports nothing once accepted', async () => {
  const before = store.record.notice()
  assert.ok(before?.isLoss)
  await store.engine.close()
  await store.open()
  assert.deepEqual(store.record.notice(), before)
  await store.record.accept()
  assert.equal(store.record.notice(), null)
  assert.ok(store.record.damagedParts > 0)
  await store.engine.close()
  await store.open()
  assert.equal(store.record.notice(), null)
  assert.equal(store.lines().at(-1)?.['kind'], 'accepted')
  assert.deepEqual(store.errors, [])
})
