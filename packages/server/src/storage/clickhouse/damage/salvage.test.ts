import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { DamagedStore, flipAt, TRACES, traceId } from './damaged-store.test-support.ts'
import { verifyParts, type VerifiedPart } from '../../check/check-telemetry.ts'

const store = await DamagedStore.create()
after(() => store.close())

test('a broken text index loses no row and is rebuilt', async () => {
  const words =
    "SELECT trace_id FROM steps WHERE project_id = 'proj_a' AND hasAllTokens(concat(lower(text), ' ', words), ['hello']) LIMIT 3"
  const before = await store.part('steps')
  const indexes = store.files(before).filter((name) => /^skp_idx_text_index.*(idx|cmrk4)$/.test(name))
  assert.ok(indexes.length >= 5, indexes.join())
  // Removed, or truncated to nothing; then the engine does not name the part.
  rmSync(join(before.path, 'skp_idx_text_index.dct.idx'))
  await store.forget()
  assert.equal((await store.engine.select(words)).length, 3)
  const next = await store.part('steps')
  await store.damage(next, 'skp_idx_text_index.idx', () => Buffer.alloc(0))
  assert.equal((await store.engine.select(words)).length, 3)
  assert.deepEqual(await store.count('steps', 'trace_id'), [TRACES, TRACES])
  assert.deepEqual(store.outcomes.splice(0), ['salvaged', 'salvaged'])
  assert.ok(store.files(await store.part('steps')).includes('skp_idx_text_index.dct.idx'))
  assert.deepEqual(
    store.lines().map(({ kind, table, part, rowsLost, lost }) => [kind, table, part, rowsLost, lost]),
    [before, next].map(({ name }) => ['set_aside', 'steps', name, 0, []]),
  )
  assert.deepEqual(store.record.notice(), {
    text: '2 damaged parts had to be rewritten, without losing a row; see damage.jsonl, run spoor check',
    isLoss: false,
  })
})

test('a flipped bit loses the rows of its granule, which are named; the other rows are read', async () => {
  const part = await store.part('traces')
  await store.damage(part, 'data.bin')
  const verified: VerifiedPart[] = []
  await verifyParts(store.engine, (each) => void verified.push(each))
  assert.deepEqual(
    verified.filter(({ ok }) => !ok).map(({ table, part: name, rows }) => [table, name, rows]),
    [['traces', part.name, TRACES]],
  )
  const [rows, traces] = await store.count('traces', 'id')
  assert.ok(rows >= TRACES - 256 && rows < TRACES, `${rows} rows`)
  assert.equal(rows, traces)
  const line = store.lines().at(-1) as { lost: { id: string; ver: number }[]; rowsLost: number; folder: string }
  assert.deepEqual([line.rowsLost, line.lost.length], [TRACES - rows, TRACES - rows])
  const lost = new Set(line.lost.map(({ id }) => id))
  const left = (await store.engine.select('SELECT id FROM traces')).map(([id]) => id as string)
  assert.deepEqual(
    [...left, ...lost].sort(),
    Array.from({ length: TRACES }, (_, at) => traceId(at)),
  )
  const [first] = line.lost
  assert.equal(store.record.lostVersion('proj_a' as never, first?.id as never), first?.ver)
  assert.ok(existsSync(join(line.folder, 'data.bin')))
  assert.equal(
    store.record.notice()?.text,
    `${TRACES - rows} rows of traces could not be read and were set aside (3 damaged parts); see damage.jsonl, run spoor check`,
  )
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  await verifyParts(store.engine, ({ ok, table }) => assert.ok(ok, table))
})

test('concurrent reads that meet the same damage salvage once, and all succeed', async () => {
  const part = await store.part('steps')
  await store.damage(part, 'data.bin', flipAt(0.3))
  const counts = await Promise.all(Array.from({ length: 6 }, () => store.count('steps', 'trace_id')))
  const rows = counts[0]?.[0] as number
  assert.ok(rows >= TRACES - 512 && rows < TRACES, `${rows} rows`)
  for (const count of counts) assert.deepEqual(count, [rows, rows])
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  assert.equal(store.record.lostRows().get('steps'), TRACES - rows)
})

test('in a part with one file per column, a damaged column loses only the rows of its granules', async () => {
  const { engine } = store
  await engine.command('ALTER TABLE steps MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0')
  await engine.command('OPTIMIZE TABLE steps FINAL')
  const part = await store.part('steps')
  assert.ok(store.files(part).includes('body.bin'))
  await store.damage(part, 'body.bin')
  const [rows, distinct] = await store.count('steps', 'trace_id')
  // One granule, and possibly a neighbour that is given up with it.
  assert.ok(rows >= part.rows - 512 && rows < part.rows, `${rows} of ${part.rows}`)
  assert.equal(rows, distinct)
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  const line = store.lines().at(-1) as { rowsKept: number; rowsLost: number; lost: unknown[] }
  assert.deepEqual([line.rowsKept, line.rowsLost, line.lost.length], [rows, part.rows - rows, part.rows - rows])
})

test('lost rows of traces with unreadable ids are reported as a range of ids up to a version', async () => {
  const { engine, record } = store
  await engine.command('ALTER TABLE traces MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0')
  await engine.command('OPTIMIZE TABLE traces FINAL')
  const before = (await engine.select('SELECT id, ver FROM traces ORDER BY id')) as [string, number][]
  await store.damage(await store.part('traces'), 'id.bin')
  await store.count('traces', 'id')
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  const line = store.lines().at(-1) as { lost: { id: string }[]; rowsLost: number; unnamed: unknown[] }
  // A neighbouring granule that is given up with it is named.
  assert.ok(line.lost.length < line.rowsLost)
  assert.equal(line.unnamed.length, 1)
  const left = new Set((await engine.select('SELECT id FROM traces')).map(([id]) => id as string))
  const gone = before.filter(([id]) => !left.has(id))
  assert.equal(gone.length, line.rowsLost)
  const versions = gone.map(([, ver]) => ver)
  for (const [id] of gone) assert.equal(record.lostVersion('proj_a' as never, id as never), Math.max(...versions))
  const others = [...left].filter((id) => record.lostVersion('proj_a' as never, id as never) !== null)
  // The first row after the lost ones is where the range ends.
  assert.ok(others.length <= 1, others.join())
  const named = new Set(line.lost.map(({ id }) => id))
  const unnamed = gone.find(([id]) => !named.has(id))
  assert.ok(unnamed)
  assert.equal(record.lostVersion('proj_b' as never, unnamed[0] as never), null)
})

test('a part without readable rows leaves a gap, not an error', async () => {
  const part = await store.part('steps')
  const [before] = await store.count('steps', 'trace_id')
  const marks = store.files(part).find((name) => /^(data|body)\.c?mrk\d$/.test(name)) as string
  rmSync(join(part.path, marks))
  await store.forget()
  const left = before - part.rows
  assert.deepEqual(await store.count('steps', 'trace_id'), [left, left])
  assert.deepEqual(store.outcomes.splice(0), ['salvaged'])
  const line = store.lines().at(-1) as { rowsKept: number; rowsLost: number }
  assert.deepEqual([line.rowsKept, line.rowsLost], [0, part.rows])
})

test('a part that cannot be set aside fails its reads as damaged; the salvage is retried later, not by every read', async () => {
  const part = await store.part('traces')
  const lostBefore = store.record.lostRows().get('traces') as number
  const file = store.files(part).includes('data.bin') ? 'data.bin' : 'record.bin'
  await store.damage(part, file, flipAt(0.7))
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
  await store.count('traces', 'id')
  assert.ok((store.record.lostRows().get('traces') as number) > lostBefore)
  assert.doesNotMatch(store.record.notice()?.text ?? '', /stays so/)
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
