import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonScanner } from './json-scanner.ts'

const TRACE = {
  name: 'steps',
  metadata: { steps: [{ not: 'one' }], '"steps': ['x'] },
  attachments: [{ id: 1 }],
  steps: [{ id: 'a', text: 'brackets ]}[{ and "quotes\\"' }, { id: 'ü€😀', nested: [{ deep: [[{}]] }] }, {}],
  metric_events: [{ steps: [{}] }],
}

function scan(text: string, pieceLength: number) {
  const bytes = new TextEncoder().encode(text)
  const scanner = new JsonScanner('steps')
  const spans = []
  for (let at = 0; at < bytes.length; at += pieceLength)
    spans.push(...scanner.push(bytes.subarray(at, at + pieceLength)))
  const read = ({ start, end }: { start: number; end: number }) =>
    JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))) as unknown
  return { found: spans.map(read), whole: scanner.array.end === 0 ? null : read(scanner.array), done: scanner.done }
}

test('finds the elements of the one array, however the bytes are split', () => {
  for (const text of [JSON.stringify(TRACE), JSON.stringify(TRACE, null, 2)]) {
    for (const pieceLength of [1, 2, 3, 7, 64, 100_000]) {
      const { found, whole, done } = scan(text, pieceLength)
      assert.deepEqual(found, TRACE.steps)
      assert.deepEqual(whole, TRACE.steps)
      assert.equal(done, true)
    }
  }
})

test('a truncated response has its complete elements, and is not done', () => {
  const text = JSON.stringify(TRACE)
  const { found, done } = scan(text.slice(0, text.indexOf('"nested"')), 5)
  assert.deepEqual(found, [TRACE.steps[0]])
  assert.equal(done, false)
})

test('an empty array differs from a missing one', () => {
  assert.deepEqual(scan('{"steps":[],"next_cursor":null}', 4), { found: [], whole: [], done: true })
  assert.deepEqual(scan('{"a":["steps",[{}]]}', 4), { found: [], whole: null, done: true })
})
