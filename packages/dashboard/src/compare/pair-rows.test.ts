import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepPair } from '@spoor/contract/schemas/traces/trace-comparison'
import { pairRows } from './pair-rows.ts'

const KINDS: Readonly<Record<string, StepPair['kind']>> = { s: 'same', c: 'changed', l: 'only_left', r: 'only_right' }

/** Of each letter one pair. */
const pairsOf = (letters: string) => [...letters].map((letter) => ({ kind: KINDS[letter] }) as StepPair)
const rowsOf = (kinds: string, ...unfolded: readonly number[]) =>
  pairRows(pairsOf(kinds), new Set(unfolded)).map(({ at, count }) => `${at}×${count}`)

test('stretches of pairs that are the same are one row, at the ends too', () => {
  assert.deepEqual(rowsOf('sssclssrss'), ['0×3', '3×1', '4×1', '5×2', '7×1', '8×2'])
  assert.deepEqual(rowsOf('ssss'), ['0×4'])
  assert.deepEqual(rowsOf(''), [])
})

test('a single pair and an unfolded stretch are rows of their own', () => {
  assert.deepEqual(rowsOf('scs'), ['0×1', '1×1', '2×1'])
  assert.deepEqual(rowsOf('sscsss', 3), ['0×2', '2×1', '3×1', '4×1', '5×1'])
  assert.deepEqual(rowsOf('sscsss', 0, 3), ['0×1', '1×1', '2×1', '3×1', '4×1', '5×1'])
})

test('every pair is in one row', () => {
  for (let bits = 0; bits < 1 << 7; bits += 1) {
    const pairs = pairsOf(Array.from({ length: 7 }, (_, at) => ((bits >> at) & 1 ? 's' : 'c')).join(''))
    for (const unfolded of [[], [0], [2, 4]]) {
      const rows = pairRows(pairs, new Set(unfolded))
      assert.deepEqual(
        rows.flatMap(({ at, count }) => Array.from({ length: count }, (_, next) => at + next)),
        [...pairs.keys()],
      )
    }
  }
})
