import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { FIRST_ROWS, idAfterRows } from './row-windows.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const idOf = (at: number) => idAt('tr', BEGIN + at, 1)
const world = await aggregateWorld()
await world.engine.command('SYSTEM STOP MERGES traces')

/** Traces `[from, to)`, one for each millisecond, in one part. */
async function add(from: number, to: number): Promise<void> {
  const ats = Array.from({ length: to - from }, (_, index) => from + index)
  await world.addTraces(ats.map((at) => traceRecord(idOf(at), { createdAt: BEGIN + at, version: at + 1 })))
}

const edge = (rows: number, newestFirst: boolean, [from, to]: readonly [number, number]) =>
  idAfterRows(world.engine, { projectId: PROJECT, lowest: idOf(from), highest: idOf(to), newestFirst }, rows)

async function openedParts(): Promise<number> {
  const [row] = await world.engine.select(`SELECT value FROM system.events WHERE event = 'SelectedParts'`)
  return (row?.[0] as number | undefined) ?? 0
}

test('the edge of a window is the same wherever reads before found theirs', async () => {
  await add(0, 2500)
  assert.equal(await edge(FIRST_ROWS, true, [0, 2499]), idOf(499))
  assert.equal(await edge(0, true, [0, 2499]), idOf(2499))
  assert.equal(await edge(0, false, [0, 2499]), idOf(0))
  await add(2500, 2800)
  assert.equal(await edge(FIRST_ROWS, true, [0, 2799]), idOf(799))
  assert.equal(await edge(0, true, [0, 2799]), idOf(2799))
  // A read further back, and one of a later start.
  assert.equal(await edge(FIRST_ROWS, true, [0, 2400]), idOf(400))
  assert.equal(await edge(FIRST_ROWS, true, [900, 2799]), null)
  assert.equal(await edge(0, false, [900, 2799]), idOf(900))
  assert.equal(await edge(0, false, [0, 2799]), idOf(0))
  // Fewer rows than before.
  await world.clear()
  await add(100, 2300)
  assert.equal(await edge(FIRST_ROWS, true, [0, 2799]), idOf(299))
  assert.equal(await edge(0, true, [0, 2799]), idOf(2299))
  assert.equal(await edge(0, false, [0, 2799]), idOf(100))
})

test('a read after another opens the newest parts alone', async () => {
  await world.clear()
  for (let part = 0; part < 10; part++) await add(part * 500, (part + 1) * 500)
  const opened: number[] = []
  for (let read = 0; read < 2; read++) {
    const before = await openedParts()
    assert.equal(await edge(FIRST_ROWS, true, [0, 4999]), idOf(2999))
    opened.push((await openedParts()) - before)
  }
  assert.deepEqual(opened, [10, 5])
})

test('a window that ends with the newest trace is found once, until another trace follows', async () => {
  await world.clear()
  await add(5000, 8000)
  const ends = async (newest: number) => {
    const range = {
      projectId: PROJECT,
      lowest: idOf(0),
      highest: idOf(newest),
      newestFirst: true,
      endsWithNewest: true,
    }
    const before = await openedParts()
    const found = await idAfterRows(world.engine, range, FIRST_ROWS)
    return [found, (await openedParts()) - before]
  }
  assert.deepEqual(await ends(7999), [idOf(5999), 1])
  assert.deepEqual(await ends(7999), [idOf(5999), 0])
  await add(8000, 8100)
  assert.equal((await ends(8099))[0], idOf(6099))
})

test('wider windows, and those behind the last one, open the parts alone that they may end in', async () => {
  await world.clear()
  for (let part = 0; part < 30; part++) await add(10_000 + part * 500, 10_000 + (part + 1) * 500)
  const last = 24_999
  assert.equal(await edge(FIRST_ROWS, true, [0, last]), idOf(last - FIRST_ROWS))
  for (const [rows, from] of [
    [FIRST_ROWS, last - 5000],
    [FIRST_ROWS + 500, last - 2000],
  ] as const) {
    const before = await openedParts()
    assert.equal(await edge(rows, true, [0, from]), idOf(from - rows))
    const opened = (await openedParts()) - before
    assert.ok(opened <= 22, `${opened} of 30 parts`)
  }
})
