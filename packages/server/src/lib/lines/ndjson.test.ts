import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createLineSplitter, type SplitLine } from './ndjson.ts'

type Seen = { number: number; text: string | null }

function see(lines: readonly SplitLine[]): Seen[] {
  return lines.map((line) => ({
    number: line.number,
    text: line.kind === 'line' ? line.bytes.toString('latin1') : null,
  }))
}

/** Pushes chunk by chunk and reads the lines only after the last chunk, so that overwritten lines are found. */
function split(chunks: readonly Buffer[], limit: number, endedProperly = true): Seen[] {
  const splitter = createLineSplitter(limit)
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)])
  if (endedProperly) lines.push(...splitter.end())
  return see(lines)
}

function naiveSplit(text: string, limit: number, endedProperly = true): Seen[] {
  const all = text.split('\n')
  const counted = endedProperly ? all : all.slice(0, -1)
  return counted
    .map((line, index) => ({ number: index + 1, text: line.endsWith('\r') ? line.slice(0, -1) : line }))
    .filter(({ text: line }) => line.length > limit || /[^ \t\r]/.test(line))
    .map(({ number, text: line }) => ({ number, text: line.length > limit ? null : line }))
}

const stream = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', '\r\n', ' ', 'long line'), maxLength: 60 })

function chunked(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const at = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length))
}

test('gives the same lines as a naive split, for any chunks and any limit', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (text, cuts, limit) => {
      assert.deepEqual(split(chunked(text, cuts), limit), naiveSplit(text, limit))
    }),
    { numRuns: 3000 },
  )
})

test('ignores a line that was cut off', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      assert.deepEqual(split(chunked(text, cuts), 1000, false), naiveSplit(text, 1000, false))
    }),
  )
})

test('accepts a line of exactly the limit with LF, CRLF or no line end, even if a chunk ends with the CR', () => {
  for (const chunks of [['abcd\n'], ['abcd\r\n'], ['abcd'], ['abcd\r', '\n'], ['ab', 'cd\r', '', '\n']]) {
    assert.deepEqual(
      split(
        chunks.map((text) => Buffer.from(text)),
        4,
      ),
      [{ number: 1, text: 'abcd' }],
    )
  }
  assert.deepEqual(split([Buffer.from('abcd\r'), Buffer.from('e\nf')], 4), [
    { number: 1, text: null },
    { number: 2, text: 'f' },
  ])
})

test('reports an endless line once and then frees it', () => {
  const splitter = createLineSplitter(1000)
  const chunk = Buffer.alloc(600, 'x')
  assert.deepEqual(see([...splitter.push(chunk)]), [])
  assert.deepEqual(see([...splitter.push(chunk)]), [{ number: 1, text: null }])
  assert.equal(splitter.nextLine, 2)
  for (let i = 0; i < 100_000; i++) assert.equal([...splitter.push(chunk)].length, 0)
  assert.deepEqual(see([...splitter.push(Buffer.from('x\ny\n'))]), [{ number: 2, text: 'y' }])
  assert.equal(splitter.nextLine, 3)
})

test('joins four million chunks of one byte to one line', () => {
  const size = 4 * 1024 * 1024
  const splitter = createLineSplitter(size)
  const byte = Buffer.from('x')
  for (let i = 0; i < size; i++) assert.equal([...splitter.push(byte)].length, 0)
  const [line] = splitter.end()
  assert.ok(line?.kind === 'line' && line.bytes.length === size)
})
