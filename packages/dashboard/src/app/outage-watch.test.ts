import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutageWatch } from './outage-watch.ts'

function outage() {
  const calls: { ms: number; call: () => void }[] = []
  const world = { back: false, returns: 0, looks: 0, delays: [] as number[] }
  const watch = createOutageWatch({
    isBack: async () => {
      world.looks += 1
      return world.back
    },
    after: (ms, call) => calls.push({ ms, call }),
    onBack: () => (world.returns += 1),
  })
  const elapse = async () => {
    const next = calls.shift()
    assert.ok(next !== undefined, 'nothing is waited for')
    world.delays.push(next.ms)
    next.call()
    // Lets the answer of `isBack` arrive.
    await new Promise(setImmediate)
  }
  return { world, watch, calls, elapse }
}

test('it looks ever more rarely, says once that the service is back, and rests', async () => {
  const { world, watch, calls, elapse } = outage()
  assert.equal(calls.length, 0)
  watch.noteFailure()
  for (let look = 0; look < 7; look++) await elapse()
  assert.deepEqual(world.delays, [500, 1000, 2000, 4000, 8000, 8000, 8000])
  world.back = true
  await elapse()
  assert.deepEqual([world.returns, calls.length], [1, 0])
})

test('many failures are one outage, and another one later is a new one', async () => {
  const { world, watch, calls, elapse } = outage()
  for (let failure = 0; failure < 5; failure++) watch.noteFailure()
  assert.equal(calls.length, 1)
  world.back = true
  await elapse()
  watch.noteFailure()
  await elapse()
  assert.deepEqual([world.looks, world.returns], [2, 2])
})
