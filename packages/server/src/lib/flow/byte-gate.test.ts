import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { ByteGate, type HeldBytes } from './byte-gate.ts'
import { onBehalfOf } from './requester.ts'

test('a request that fits enters at once; others wait in order', async () => {
  const gate = new ByteGate(100)
  const first = await gate.acquire(40)
  const order: string[] = []
  const large = gate.acquire(30).then((held) => {
    order.push('large')
    return held
  })
  const small = gate.acquire(10).then((held) => {
    order.push('small')
    return held
  })
  await Promise.resolve()
  assert.deepEqual(order, [])
  assert.equal(gate.usedBytes, 40)
  first.keep(10)
  const [heldLarge, heldSmall] = await Promise.all([large, small])
  assert.deepEqual(order, ['large', 'small'])
  assert.equal(gate.usedBytes, 10 + 30 + 10)
  for (const held of [first, heldLarge, heldSmall]) held.release()
  assert.equal(gate.usedBytes, 0)
})

test('a request above the limit enters when nothing else is held', async () => {
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
  assert.equal(gate.usedBytes, 100)
  bytes.keep(2000)
  assert.equal(gate.usedBytes, 100)
  bytes.release()
  assert.equal(gate.usedBytes, 0)
})

/** Enters for a project, and appends to `order` when it has entered. */
function entering(gate: ByteGate, order: string[]) {
  return (project: string, bytes: number, signal = new AbortController().signal): Promise<HeldBytes> =>
    onBehalfOf({ kind: 'project', projectId: `proj_${project}` as ProjectId, signal }, async () => {
      const held = await gate.acquire(bytes)
      order.push(project)
      return held
    })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('one project leaves half of the bytes to others, which may hold several answers at once', async () => {
  const gate = new ByteGate(100)
  const order: string[] = []
  const enter = entering(gate, order)
  for (let answer = 0; answer < 10; answer++) void enter('a', 25)
  await turn()
  assert.deepEqual(order, ['a', 'a'])
  await enter('b', 10)
  await enter('b', 10)
  assert.deepEqual([order, gate.usedBytes], [['a', 'a', 'b', 'b'], 70])
})

test('projects take turns, however many answers of one project wait', async () => {
  const gate = new ByteGate(100)
  const order: string[] = []
  const enter = entering(gate, order)
  const all = await gate.acquire(100)
  for (let answer = 0; answer < 3; answer++) void enter('a', 20)
  void enter('b', 20)
  await turn()
  all.release()
  await turn()
  assert.deepEqual(order, ['a', 'b', 'a'])
})

test('a client that disconnects while it waits takes nothing, and the next one enters', async () => {
  const gate = new ByteGate(100)
  const order: string[] = []
  const enter = entering(gate, order)
  const all = await gate.acquire(100)
  const gone = new AbortController()
  const waiting = enter('a', 75, gone.signal)
  void enter('a', 20)
  gone.abort(new Error('the client went away'))
  await assert.rejects(waiting, /went away/)
  all.release()
  await turn()
  assert.deepEqual([order, gate.usedBytes], [['a'], 20])
})
