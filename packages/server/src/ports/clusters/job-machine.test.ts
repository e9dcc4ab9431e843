import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOpen, type JobMove, type JobStatus, moveJob } from './job-machine.ts'

const STATES: readonly JobStatus[] = ['queued', 'running', 'succeeded', 'failed']
const MOVES: readonly JobMove[] = ['start', 'interrupt', 'succeed', 'fail']

test('a job moves from queued to running, and from there to an end, or back when it is interrupted', () => {
  const table = STATES.map((from) =>
    MOVES.map((move) => {
      try {
        return moveJob(from, move)
      } catch {
        return null
      }
    }),
  )
  assert.deepEqual(table, [
    ['running', null, null, null],
    [null, 'queued', 'succeeded', 'failed'],
    [null, null, null, null],
    [null, null, null, null],
  ])
  assert.deepEqual(STATES.filter(isOpen), ['queued', 'running'])
})
