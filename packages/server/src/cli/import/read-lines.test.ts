import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readLines } from './read-lines.ts'

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0
  for (const size of sizes) yield bytes.subarray(start, (start += size))
  yield bytes.subarray(start)
}

async function textsOf(bytes: Buffer, sizes: readonly number[] = [], maxLineBytes = 100): Promise<string[]> {
  const texts: string[] = []
  for await (const line of readLines(cut(bytes, sizes), maxLineBytes)) {
    texts.push(`${line.number}:${line.kind === 'line' ? line.bytes.toString() : line.kind}`)
  }
  return texts
}

test('line ends of both kinds, blank lines, a byte order mark and a last line without an end, however the file is cut', async () => {
  const bytes = Buffer.from('\uFEFF{"a":1}\r\n\r\n  \n{"b":"\uFEFF"}\n{"c":3}')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 })), async (sizes) => {
      assert.deepEqual(await textsOf(bytes, sizes), ['1:{"a":1}', '4:{"b":"\uFEFF"}', '5:{"c":3}'])
    }),
  )
})

test('a line that is too long is reported, and the lines around it are read', async () => {
  assert.deepEqual(await textsOf(Buffer.from(`1\n${'x'.repeat(101)}\n3\n`)), ['1:1', '2:too_large', '3:3'])
})

test('files of two bytes, one byte and none', async () => {
  assert.deepEqual(await textsOf(Buffer.from('{}')), ['1:{}'])
  assert.deepEqual(await textsOf(Buffer.from('1')), ['1:1'])
  assert.deepEqual(await textsOf(Buffer.alloc(0)), [])
})
