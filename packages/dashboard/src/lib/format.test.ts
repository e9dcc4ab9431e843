import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatBytes,
  formatCost,
  formatCostExact,
  formatCostOnAxis,
  formatCostShort,
  formatShare,
} from './format-number.ts'
import { formatDuration, formatRelative } from './format-time.ts'

test('durations have a fitting unit', () => {
  const expected = [
    [0, '0 ms'],
    [0.4, '0.4 ms'],
    [320, '320 ms'],
    [1240, '1.24 s'],
    [59_940, '59.9 s'],
    [185_000, '3 min 5 s'],
    [7_440_000, '2 h 4 min'],
    [90_000_000, '1 d 1 h'],
  ] as const
  for (const [ms, text] of expected) assert.equal(formatDuration(ms), text)
})

test('ages are coarse, and a clock slightly ahead shows now', () => {
  assert.equal(formatRelative(1000, 0), 'now')
  assert.equal(formatRelative(0, 12_000), '12 s ago')
  assert.equal(formatRelative(0, 3 * 60_000), '3 min ago')
  assert.equal(formatRelative(0, 49 * 3_600_000), '2 d ago')
})

test('shares, costs and sizes keep their significant digits', () => {
  assert.deepEqual([0, 0.00123, 0.4129, 1].map(formatShare), ['0%', '0.12%', '41.3%', '100%'])
  assert.deepEqual([0, 0.00312, 2.267, 1_234].map(formatCost), ['$0', '$0.0031', '$2.27', '$1,234.00'])
  assert.deepEqual([0.2, 0.0999, 0.05, 0.001, 7.2e-7].map(formatCost), [
    '$0.20',
    '$0.10',
    '$0.050',
    '$0.0010',
    '$0.00000072',
  ])
  assert.deepEqual([12.345678, 7.2e-7, 0, 1200].map(formatCostExact), ['$12.345678', '$0.00000072', '$0', '$1200'])
  assert.equal(formatCost(0.00535), formatCost(0.005350000000000001))
  assert.deepEqual([0, 7.2e-7, 0.000099, 0.0001, 0.00065, 2.267, 123.4567].map(formatCostShort), [
    '$0',
    '<$0.0001',
    '<$0.0001',
    '$0.0001',
    '$0.0007',
    '$2.2670',
    '$123.46',
  ])
  assert.deepEqual([0, 0.1, 0.05, 0.0025, 12].map(formatCostOnAxis), ['$0', '$0.10', '$0.05', '$0.0025', '$12.00'])
  assert.deepEqual([0, 1023, 1536, 5 * 1024 ** 3].map(formatBytes), ['0 B', '1023 B', '1.5 KiB', '5.0 GiB'])
})
