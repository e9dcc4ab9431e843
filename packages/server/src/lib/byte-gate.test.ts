import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteGate } from './byte-gate.ts'

test('who fits enters at once, who does not waits in order', async () => {
  const gate = new ByteGate(100)
  const first = await gate.acquire(60)
  const order: string[] = []
  const large = gate.acquire(50).then((held) => {
    order.push('large')
    return held
  })
  const small = gate.acquire(10).then((held) => {
    order.push('small')
    return held
  })
  await Promise.resolve()
  assert.deepEqual(order, [])
  assert.equal(gate.usedBytes, 60)
  first.keep(40)
  const [heldLarge, heldSmall] = await Promise.all([large, small])
  assert.deepEqual(order, ['large', 'small'])
  assert.equal(gate.usedBytes, 40 + 50 + 10)
  for (const held of [first, heldLarge, heldSmall]) held.release()
  assert.equal(gate.usedBytes, 0)
})

test('more than the limit enters when nobody else is in', async () => {
  const gate = new ByteGate(100)
  const held = await gate.acquire(10)
  let entered = false
  const huge = gate.acquire(1000).then((bytes) => {
    entered = true
    return bytes
  })
  await Promise.resolve()
  assert.equal(entered, false)
  held.release()
  held.release()
  const bytes = await huge
  assert.equal(gate.usedBytes, 1000)
  bytes.keep(2000)
  assert.equal(gate.usedBytes, 1000)
  bytes.release()
  assert.equal(gate.usedBytes, 0)
})
