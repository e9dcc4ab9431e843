import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatSseComment, formatSseEvent, formatSseStart } from './sse.ts'

test('frames match the golden file byte for byte', () => {
  const frames = [
    formatSseStart(3000, '41'),
    formatSseEvent({ id: '42', event: 'trace.committed', data: '{"id":"tr_1"}' }),
    formatSseEvent({ data: 'two\nlines\r\nand\rmore' }),
    formatSseEvent({ event: 'empty', data: '' }),
    formatSseComment('heartbeat'),
  ]
  assert.equal(frames.join(''), readFileSync(new URL('./sse.golden.txt', import.meta.url), 'utf8'))
})

test('ids, names and comments with a line end are refused', () => {
  for (const bad of ['a\nb', 'a\rb', 'a\0b']) {
    assert.throws(() => formatSseEvent({ id: bad, data: '' }), RangeError)
    assert.throws(() => formatSseEvent({ event: bad, data: '' }), RangeError)
    assert.throws(() => formatSseComment(bad), RangeError)
    assert.throws(() => formatSseStart(1, bad), RangeError)
  }
})

test('any data is one event, and its line ends become \\n', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '\r', 'data: ', 'id: 1') }), (data) => {
      const frame = formatSseEvent({ data })
      assert.equal(frame.indexOf('\n\n'), frame.length - 2)
      const lines = frame.slice(0, -2).split('\n')
      const read = lines.map((line) => line.replace(/^data: /, '')).join('\n')
      assert.equal(read, data.replace(/\r\n|\r/g, '\n'))
    }),
  )
})
