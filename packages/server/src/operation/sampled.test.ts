import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { Sampled } from './sampled.ts'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a sampled number is read at intervals, never on access, and survives a failure', async () => {
  const timers = new ManualTimers()
  const failures: unknown[] = []
  let reads = 0
  let answer: () => Promise<number> = async () => 5
  const sampled = new Sampled(
    () => {
      reads++
      return answer()
    },
    (error) => failures.push(error),
  )
  assert.ok(Number.isNaN(sampled.value), 'not known yet')
  sampled.start(timers, 15_000)
  await settle()
  assert.deepEqual([sampled.value, sampled.value, reads], [5, 5, 1])

  const failure = new Error('the engine is busy')
  answer = () => Promise.reject(failure)
  timers.advance(15_000)
  await settle()
  assert.deepEqual([sampled.value, failures], [5, [failure]])

  const { promise, resolve } = Promise.withResolvers<number>()
  answer = () => promise
  timers.advance(30_000)
  assert.equal(reads, 3, 'no second read starts while one hangs')
  resolve(7)
  await settle()
  assert.equal(sampled.value, 7)

  await sampled.stop()
  timers.advance(60_000)
  assert.deepEqual([reads, timers.pending], [3, 0])
})
