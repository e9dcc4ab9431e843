import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parquetReadObjects } from 'hyparquet'
import type { Column } from './columns.ts'
import { parquet } from './parquet.ts'

const COLUMNS: readonly Column[] = [
  { name: 'name', kind: 'text' },
  { name: 'usage.count', kind: 'integer' },
  { name: 'at', kind: 'time' },
]
const rowOf = (n: number) =>
  Buffer.from(
    `{"name":${n % 3 === 0 ? 'null' : `"run ${n}"`},"usage":{"count":${n}},"at":"2026-01-01T00:00:00.00${n % 10}Z"}`,
  )
const cellsOf = (n: number) => ({
  name: n % 3 === 0 ? null : `run ${n}`,
  'usage.count': BigInt(n),
  at: new Date(Date.UTC(2026, 0, 1) + (n % 10)),
})

async function fileOf(columns: readonly Column[], ...rows: readonly Buffer[]): Promise<Buffer> {
  const encoder = await parquet(columns)
  return Buffer.concat([encoder.start(), encoder.page(rows), encoder.end(rows.length)])
}

const readBack = async (file: Buffer) => {
  const rows = await parquetReadObjects({ file: new Uint8Array(file).buffer })
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, (cell as unknown) ?? null])),
  )
}

test('rows of files that are joined are in the order in which they came', async () => {
  const encoder = await parquet(COLUMNS)
  const parts = [
    encoder.start(),
    encoder.join(await fileOf(COLUMNS, rowOf(0), rowOf(1))).bytes,
    encoder.join(await fileOf(COLUMNS)).bytes,
    encoder.join(await fileOf(COLUMNS, rowOf(2), rowOf(3), rowOf(4))).bytes,
    encoder.end(5),
  ]
  assert.deepEqual(await readBack(Buffer.concat(parts)), [0, 1, 2, 3, 4].map(cellsOf))
})

test('a file with other columns, or whose chunks lie outside it, is refused', async () => {
  const encoder = await parquet(COLUMNS)
  const [name, count, at] = COLUMNS as [Column, Column, Column]
  for (const columns of [
    [name, count],
    [count, name, at],
    [
      { ...name, kind: 'json' as const },
      { ...count, kind: 'time' as const },
      { ...at, name: 'when' },
    ],
    [...COLUMNS, { ...name, name: 'more' }],
  ]) {
    const other = await fileOf(columns, rowOf(1))
    assert.throws(() => encoder.join(other), /column/)
  }
  const file = await fileOf(COLUMNS, rowOf(1))
  const footerAt = file.length - 8 - file.readUInt32LE(file.length - 8)
  // The chunks are no longer there.
  assert.throws(() => encoder.join(Buffer.concat([file.subarray(0, 4), file.subarray(footerAt)])), /outside/)
  const huge = Buffer.concat([file.subarray(0, -8), Buffer.from([0, 0, 0, 127]), file.subarray(-4)])
  for (const broken of [huge, file.subarray(0, -1), Buffer.from('PAR1'), Buffer.alloc(0)])
    assert.throws(() => encoder.join(broken))
})
