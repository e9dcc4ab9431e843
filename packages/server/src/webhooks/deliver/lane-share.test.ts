import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERY_MACHINE_RULES } from './delivery-machine-rules.ts'
import { laneShare } from './lane-share.ts'
import { MachineWorld, SECOND } from './machine-world.test-support.ts'

const MIB = 1024 * 1024
const rules = { ...DELIVERY_MACHINE_RULES, mostInFlight: 1000, mostBytes: 20 * MIB }

test('a lane has its full limits while half is free, and otherwise an equal part of what is free', () => {
  const most = { inFlight: 16, leaseLimit: 32, leaseBytes: 512 * 1024 }
  assert.deepEqual(laneShare({ inFlight: 0, heldBytes: 0, lanes: 0 }, rules), most)
  assert.deepEqual(laneShare({ inFlight: 499, heldBytes: 0, lanes: 40 }, rules), most)
  assert.deepEqual(laneShare({ inFlight: 900, heldBytes: 0, lanes: 1 }, rules), { ...most, leaseLimit: 32 })
  const { inFlight, leaseLimit } = laneShare({ inFlight: 500, heldBytes: 0, lanes: 100 }, rules)
  assert.deepEqual([inFlight, leaseLimit], [5, 5])
  assert.equal(laneShare({ inFlight: 999, heldBytes: 0, lanes: 100 }, rules).inFlight, 1)
  const full = laneShare({ inFlight: 100, heldBytes: 18 * MIB, lanes: 100 }, rules)
  assert.deepEqual([full.inFlight, full.leaseBytes], [1, 20 * 1024 + 491])
})

/** Median wait of one healthy receiver next to slow ones, with an event every half second. */
async function medianNextTo(world: MachineWorld, slow: number): Promise<number> {
  const healthy = world.subscribe(() => ({ status: 200, afterMs: 20 }))
  await world.start()
  for (let index = 0; index < slow; index++) {
    world.add(
      world.subscribe(() => ({ status: 200, afterMs: 14_000 })),
      120,
    )
  }
  const ids = []
  for (let index = 0; index < 120; index++) {
    await world.pass(SECOND / 2)
    ids.push(...world.add(healthy))
  }
  await world.pass(5 * SECOND)
  const waits = ids.map((id) => {
    const { event, finishedAt } = world.get(id)
    return (finishedAt ?? Infinity) - event.createdAt
  })
  return waits.sort((a, b) => a - b)[waits.length / 2] ?? Infinity
}

test('a hundred slow receivers leave capacity for a quick one', async () => {
  const world = new MachineWorld({ rules: { expireMs: 60_000 } })
  const median = await medianNextTo(world, 100)
  assert.ok(median < SECOND, `${median} ms`)
})

test('slow receivers leave capacity for a quick one if requests are scarce', async () => {
  const world = new MachineWorld({ rules: { expireMs: 60_000, mostInFlight: 128 } })
  const median = await medianNextTo(world, 60)
  assert.ok(median < SECOND, `${median} ms`)
  assert.ok(world.mostUnderWay >= 60)
})

test('slow receivers leave capacity for a quick one if bytes are scarce', async () => {
  // Enough for 160 deliveries of about 43 bytes.
  const bytes = { largestBody: 50, leaseBytes: 1600, mostBytes: 8000 }
  const world = new MachineWorld({ rules: { expireMs: 60_000, ...bytes } })
  const median = await medianNextTo(world, 60)
  assert.ok(median < SECOND, `${median} ms`)
  assert.ok(world.mostUnderWay >= 60)
})
