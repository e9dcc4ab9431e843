import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderProgress } from './render-progress.ts'

const MB = 1024 * 1024
const SNAPSHOT = {
  elapsedMs: 20_000,
  lines: 12_500,
  refused: 0,
  bytes: 25 * MB,
  totalBytes: 100 * MB,
  before: { elapsedMs: 15_000, lines: 7500, bytes: 20 * MB },
  trouble: null,
}

test('a file of known size has a bar and the time left at the rate of the last seconds', () => {
  assert.equal(
    renderProgress(SNAPSHOT, 200),
    '[######------------------]  25%  12,500 lines  25.0 MB of 100.0 MB  1,000 traces/s  1.0 MB/s  ETA 1:15',
  )
})

test('a narrow terminal gets no bar, but all numbers', () => {
  const numbers = '12,500 lines  25.0 MB of 100.0 MB  1,000 traces/s  1.0 MB/s  ETA 1:15'
  assert.equal(renderProgress(SNAPSHOT, numbers.length + 13), `[#---]  25%  ${numbers}`)
  assert.equal(renderProgress(SNAPSHOT, 80), numbers)
})

test('a pipe gets neither', () => {
  assert.equal(
    renderProgress({ ...SNAPSHOT, totalBytes: null, refused: 3 }, 200),
    '12,500 lines  25.0 MB  1,000 traces/s  1.0 MB/s  3 refused',
  )
})

test('a service that does not answer is reported, without a remaining time', () => {
  const standing = {
    ...SNAPSHOT,
    before: { elapsedMs: 15_000, lines: 12_500, bytes: 25 * MB },
    trouble: 'ECONNREFUSED',
  }
  assert.match(renderProgress(standing, 200), /0 traces\/s {2}0\.0 MB\/s {2}trying again: ECONNREFUSED$/)
})

test('without a size, a time or with too much of it, the output stays sensible', () => {
  const start = { elapsedMs: 0, lines: 0, bytes: 0 }
  const empty = { ...SNAPSHOT, ...start, before: start, totalBytes: 0 }
  assert.equal(renderProgress(empty, 200), '0 lines  0.0 MB of 0.0 MB  0 traces/s  0.0 MB/s')
  assert.match(renderProgress({ ...SNAPSHOT, bytes: 101 * MB }, 200), /^\[#{24}\] 100% .*ETA 0:00$/)
  assert.equal(renderProgress(SNAPSHOT, 10).length, 10)
})
