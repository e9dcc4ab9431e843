import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './nearest-name.ts'

test('finds the name that was probably meant, or none if no name is close', () => {
  const known = ['name', 'run_type', 'metadata', 'session_id', 'started_at']
  for (const [given, meant] of [
    ['sessionId', 'session_id'],
    ['metdata', 'metadata'],
    ['runType', 'run_type'],
    ['start_at', 'started_at'],
    ['nmae', 'name'],
    ['colour', null],
    ['x'.repeat(1_000_000), null],
    ['', null],
  ] as const) {
    assert.equal(nearestName(given, known), meant, given.slice(0, 20))
  }
})
