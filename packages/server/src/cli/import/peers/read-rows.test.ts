import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { type ReadRow, readRows } from './read-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'spoor-rows-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** In pieces of each of these lengths the rows are the same. */
async function rowsOf(content: string | Buffer, { maxRowBytes = 1000 } = {}): Promise<readonly ReadRow[]> {
  const bytes = Buffer.from(content)
  const read = async (pieceBytes: number) => {
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
    }
    const rows: ReadRow[] = []
    for await (const row of readRows(join(folder, 'rows'), pieces(), maxRowBytes)) rows.push(row)
    return rows
  }
  const whole = await read(bytes.length + 1)
  for (const pieceBytes of [1, 3, 7]) assert.deepEqual(await read(pieceBytes), whole, `pieces of ${pieceBytes}`)
  return whole
}

const codes = (rows: readonly ReadRow[]) =>
  rows.map((read) => ('code' in read ? [read.number, read.code] : [read.number, read.row]))

test('JSON lines: a bad line is refused by its number, the others are read', async () => {
  const rows = await rowsOf(
    '\uFEFF{"id":"é"}\r\n\n{"id":\n[1]\n{"data":[{"id":2},{"id":3}]}\n7\n{"a":"' + 'x'.repeat(2000) + '"}\n{"id":4}',
  )
  assert.deepEqual(codes(rows), [
    [1, { id: 'é' }],
    [3, 'malformed_json'],
    [4, 'malformed_row'],
    [5, { id: 2 }],
    [5, { id: 3 }],
    [6, 'malformed_row'],
    [7, 'line_too_large'],
    [8, { id: 4 }],
  ])
})

test('a list in JSON: braces and quotes in texts do not count, a bad element is refused alone', async () => {
  const text = '}],"\\ {[,'
  const rows = await rowsOf(
    ` [\n {"id": 1, "text": ${JSON.stringify(text)}, "list": [[], {"a": [1, 2]}]},\n {"id": tru}, 5,\n{"long":"${'y'.repeat(2000)}"},{"id":2}\n]\n`,
  )
  assert.deepEqual(codes(rows), [
    [1, { id: 1, text, list: [[], { a: [1, 2] }] }],
    [2, 'malformed_json'],
    [3, 'malformed_row'],
    [4, 'line_too_large'],
    [5, { id: 2 }],
  ])
  assert.deepEqual(codes(await rowsOf('[{"id":1},{"id":')), [
    [1, { id: 1 }],
    [2, 'malformed_json'],
  ])
  assert.deepEqual(await rowsOf('[]'), [])
})

test('CSV: quoted fields have commas, quotes and line ends; JSON in a field is its value', async () => {
  const rows = await rowsOf(
    'id,name,input,empty\r\n1,"a, ""b""\nc","{""x"": [1]}",\r\n2,short\n\n3,plain,"[not json",\n4,"' +
      'z'.repeat(2000) +
      '",,\n5,é,7,x',
  )
  assert.deepEqual(codes(rows), [
    [2, { id: '1', name: 'a, "b"\nc', input: { x: [1] } }],
    [4, 'malformed_row'],
    [6, { id: '3', name: 'plain', input: '[not json' }],
    [7, 'line_too_large'],
    [8, { id: '5', name: 'é', input: '7', empty: 'x' }],
  ])
})

test('Parquet: times are texts, integers numbers, JSON in a column of text is its value', async () => {
  const bytes = Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: ['a', 'b'], type: 'STRING' },
        { name: 'start_time', data: [new Date(1_795_734_740_000), null], type: 'TIMESTAMP' },
        { name: 'tokens', data: [5n, null], type: 'INT64' },
        { name: 'inputs', data: ['{"x":1}', 'text'], type: 'STRING' },
      ],
      rowGroupSize: 1,
    }),
  )
  writeFileSync(join(folder, 'rows'), bytes)
  assert.deepEqual(codes(await rowsOf(bytes)), [
    [1, { id: 'a', start_time: new Date(1_795_734_740_000).toISOString(), tokens: 5, inputs: { x: 1 } }],
    [2, { id: 'b', start_time: null, tokens: null, inputs: 'text' }],
  ])
  const cut = bytes.subarray(0, bytes.length - 9)
  writeFileSync(join(folder, 'rows'), cut)
  await assert.rejects(rowsOf(cut), /cannot be read as Parquet/)
})
