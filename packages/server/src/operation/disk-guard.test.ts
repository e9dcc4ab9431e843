import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { DiskGuard, freeBytesOf } from './disk-guard.ts'

function guardOver(looks: (number | Error)[], reserveBytes = 100 * 1024 * 1024) {
  const errors: unknown[] = []
  const changes: (string | null)[] = []
  const merging: boolean[] = []
  const timers = new ManualTimers()
  const guard = new DiskGuard({
    freeBytes: async () => {
      const look = looks.shift() ?? 0
      if (look instanceof Error) throw look
      return look
    },
    reserveBytes,
    allowMerges: (allowed) => merging.push(allowed),
    onError: (error) => errors.push(error),
  })
  const next = async (afterMs = 500) => {
    timers.advance(afterMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { guard, errors, changes, merging, next, start: () => guard.start(timers, (problem) => changes.push(problem)) }
}

const PLENTY = 1024 * 1024 * 1024
const LITTLE = 10 * 1024 * 1024

test('intake closes while space is short and opens by itself', async () => {
  const { guard, changes, next, start } = guardOver([PLENTY, LITTLE, LITTLE, PLENTY])
  await start()
  assert.deepEqual([guard.refusal(), changes], [null, []])
  await next()
  assert.equal(guard.refusal()?.code, 'disk_full')
  await next()
  await next()
  assert.equal(guard.refusal(), null)
  assert.deepEqual(changes, ['only 10 MB of disk are free; 100 MB must stay free', null])
})

test('merges stop on a nearly full disk whatever the reserve is: a merge that runs out of space leaves broken files, and reads fail', async () => {
  const { changes, merging, next, start } = guardOver([PLENTY, 63 * 1024 * 1024, 0, new Error('gone'), PLENTY], 0)
  await start()
  for (let look = 0; look < 4; look++) await next()
  assert.deepEqual(merging, [true, false, false, false, true])
  assert.deepEqual(changes, ['the free disk space cannot be read', null])
  const reserved = guardOver([PLENTY, LITTLE])
  await reserved.start()
  await reserved.next()
  assert.deepEqual(reserved.merging, [true, false])
})

test('a check that fails is a problem until one succeeds, and closes nothing', async () => {
  const { guard, changes, errors, next, start } = guardOver([PLENTY, new Error('gone'), new Error('gone'), PLENTY])
  await start()
  await next()
  await next()
  assert.equal(guard.refusal(), null)
  await next()
  assert.equal(errors.length, 1)
  assert.deepEqual(changes, ['the free disk space cannot be read', null])
})

test('an announced length must fit above the reserve too', async () => {
  const { guard, start } = guardOver([PLENTY])
  await start()
  const room = PLENTY - 100 * 1024 * 1024
  assert.deepEqual([guard.refusal(0), guard.refusal(room)], [null, null])
  assert.equal(guard.refusal(room + 1)?.code, 'disk_full')
  assert.equal(guard.refusal(Number.POSITIVE_INFINITY)?.code, 'disk_full')
  assert.equal(guard.problem(), null)
})

test('too little space from the start is reported at once', async () => {
  const { changes, start } = guardOver([LITTLE])
  await start()
  assert.equal(changes.length, 1)
})

test('the free space of a real folder', async () => {
  assert.ok((await freeBytesOf(tmpdir())) > 0)
})

test('while there is much more space than the reserve, a look each five seconds is enough', async () => {
  const { guard, next, start } = guardOver([100 * PLENTY, LITTLE])
  await start()
  await next(4999)
  assert.equal(guard.refusal(), null)
  await next(1)
  assert.equal(guard.refusal()?.code, 'disk_full')
})

test('a look that fails is repeated soon, however much space there was', async () => {
  const { guard, next, start } = guardOver([100 * PLENTY, new Error('EINTR'), 100 * PLENTY])
  await start()
  await next(5000)
  assert.notEqual(guard.problem(), null)
  await next(500)
  assert.equal(guard.problem(), null)
})
