import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findBadRows, goodRows, type RowRange } from './bad-rows.ts'

const ROWS = 4

function granulesOf(count: number): readonly RowRange[] {
  return Array.from({ length: count }, (_, at) => ({ from: at * ROWS, to: (at + 1) * ROWS }))
}

/** `named`: maps the first bad granule and the start of the read to the granule that the engine names. */
function reader(bad: ReadonlySet<number>, named: (first: number, from: number) => number | null) {
  const counts = { reads: 0, failures: 0 }
  const read = async (range: RowRange) => {
    counts.reads++
    for (let granule = range.from / ROWS; granule < range.to / ROWS; granule++) {
      if (!bad.has(granule)) continue
      counts.failures++
      return { granule: named(granule, range.from / ROWS) }
    }
    return null
  }
  return { read, counts }
}

const NAMINGS: Readonly<Record<string, (first: number, from: number) => number | null>> = {
  exact: (first) => first,
  nothing: () => null,
  'where the read began': (_first, from) => from,
  'one too late': (first) => first + 1,
}

test('bad and good rows together are all rows, once and in order; no unreadable row is called good', async () => {
  const cases = fc.record({
    count: fc.integer({ min: 0, max: 60 }),
    bad: fc.uniqueArray(fc.nat(59)),
    naming: fc.constantFrom(...Object.keys(NAMINGS)),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, bad, naming }) => {
      const unreadable = new Set(bad.filter((granule) => granule < count))
      const found = await findBadRows(granulesOf(count), reader(unreadable, NAMINGS[naming] as () => null).read)
      const good = goodRows(count * ROWS, found)
      const all = [...found, ...good].sort((a, b) => a.from - b.from)
      assert.deepEqual(
        all.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at)),
        Array.from({ length: count * ROWS }, (_, row) => row),
      )
      const { read } = reader(unreadable, () => null)
      for (const range of good) assert.equal(await read(range), null)
    }),
  )
})

test('when the engine names the granule, each bad granule costs one failed read, and no other is given up', async () => {
  const { read, counts } = reader(new Set([5000, 5001, 7999]), (first) => first)
  const bad = await findBadRows(granulesOf(8000), read)
  assert.deepEqual(bad, [
    { from: 5000 * ROWS, to: 5002 * ROWS },
    { from: 7999 * ROWS, to: 8000 * ROWS },
  ])
  assert.deepEqual([counts.failures, counts.reads], [3, 5])
})

test('when the engine does not name the granule, it is found by halving', async () => {
  const { read, counts } = reader(new Set([5000]), () => null)
  assert.deepEqual(await findBadRows(granulesOf(8000), read), [{ from: 5000 * ROWS, to: 5001 * ROWS }])
  assert.ok(counts.failures < 30, `${counts.failures} failures`)
})

test('a part without readable rows is given up after few reads', async () => {
  for (const named of Object.values(NAMINGS)) {
    const { read, counts } = reader(new Set(Array.from({ length: 8000 }, (_, at) => at)), named)
    assert.deepEqual(await findBadRows(granulesOf(8000), read), [{ from: 0, to: 8000 * ROWS }])
    assert.ok(counts.failures < 20, `${counts.failures} failures`)
  }
})
