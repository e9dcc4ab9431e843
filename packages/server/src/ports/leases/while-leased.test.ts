import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { MemoryLeaseStore } from './memory-leases.test-support.ts'
import { whileLeased } from './while-leased.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function world() {
  const timers = new ManualTimers()
  const leases = new MemoryLeaseStore(timers)
  const options = (holder: string) => ({ leases, timers, name: 'schema', holder })
  return { timers, leases, options }
}

test('of ten at once each works alone, and the lease is free afterwards', async () => {
  const { timers, leases, options } = world()
  let working = 0
  const results = Array.from({ length: 10 }, (_, index) =>
    whileLeased(options(`node ${index}`), async () => {
      working += 1
      assert.equal(working, 1)
      await turn()
      working -= 1
      return index
    }),
  )
  const ended = Promise.all(results)
  for (let round = 0; round < 100; round++) {
    timers.advance(200)
    await turn()
  }
  assert.deepEqual(await ended, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(timers.pending, 0)
  assert.notEqual(await leases.take('schema', 'other', 1000), null)
})

test('long work keeps its lease; work whose lease cannot be renewed is aborted before another can take it', async () => {
  const { timers, leases, options } = world()
  const done = Promise.withResolvers<void>()
  let signal: AbortSignal | undefined
  const running = whileLeased(options('a'), async (lost) => {
    signal = lost
    await done.promise
  })
  for (let second = 0; second < 60; second++) {
    await turn()
    timers.advance(1000)
  }
  assert.equal(signal?.aborted, false)
  assert.equal(await leases.take('schema', 'b', 15_000), null)
  leases.renew = () => Promise.reject(new Error('the store is away'))
  for (let second = 0; second < 15 && signal?.aborted === false; second++) {
    assert.equal(await leases.take('schema', 'b', 15_000), null)
    timers.advance(1000)
    await turn()
  }
  assert.equal(signal?.aborted, true)
  assert.equal(await leases.take('schema', 'b', 15_000), null, 'there is time left to end')
  done.resolve()
  await running
  assert.equal(timers.pending, 0)
})

test('the failure of the work is the result, and the lease is free', async () => {
  const { leases, options } = world()
  await assert.rejects(
    whileLeased(options('a'), () => Promise.reject(new Error('no space'))),
    /no space/,
  )
  assert.notEqual(await leases.take('schema', 'b', 1000), null)
})
