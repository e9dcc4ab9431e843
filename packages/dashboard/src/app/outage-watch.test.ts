import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutageWatch } from './outage-watch.ts'

function outage() {
  const calls: { ms: number; call: () => void }[] = []
  const world = { back: false, returns: 0, probes: 0, delays: [] as number[] }
  const watch = createOutageWatch({
    isBack: async () => {
      world.probes += 1
      return world.back
    },
    after: (ms, call) => calls.push({ ms, call }),
    onBack: () => (world.returns += 1),
  })
  const elapse = async () => {
    const next = calls.shift()
    assert.ok(next !== undefined, 'no timer is set')
    world.delays.push(next.ms)
    next.call()
    // Lets the result of `isBack` arrive.
    await new Promise(setImmediate)
  }
  return { world, watch, calls, elapse }
}

test('it probes with exponential back-off, reports the recovery once, and stops', async () => {
  const { world, watch, calls, elapse } = outage()
  assert.equal(calls.length, 0)
  watch.noteFailure()
  for (let probe = 0; probe < 7; probe++) await elapse()
  assert.deepEqual(world.delays, [500, 1000, 2000, 4000, 8000, 8000, 8000])
  world.back = true
  await elapse()
  assert.deepEqual([world.returns, calls.length], [1, 0])
})

test('many failures are one outage, and a later failure is a new one', async () => {
  const { world, watch, calls, elapse } = outage()
  for (let failure = 0; failure < 5; failure++) watch.noteFailure()
  assert.equal(calls.length, 1)
  world.back = true
  await elapse()
  watch.noteFailure()
  await elapse()
  assert.deepEqual([world.probes, world.returns], [2, 2])
})
