import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import type { Requester } from '../../../lib/flow/requester.ts'
import { ReadQueue } from './read-queue.ts'

function project(name: string, signal = new AbortController().signal): Requester {
  return { kind: 'project', projectId: `proj_${name}` as ProjectId, signal }
}

/** A queue of numbered slots whose queries run until `end` is called with their name. */
function setUp(slots: number) {
  const queue = new ReadQueue(Array.from({ length: slots }, (_, index) => index))
  const running = new Map<string, () => void>()
  const begun: string[] = []
  const ask = (requester: Requester, name: string) =>
    queue.use(requester, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => running.set(name, resolve))
      running.delete(name)
      return name
    })
  const end = async (name: string) => {
    const resolve = running.get(name)
    assert.ok(resolve, `${name} does not run`)
    resolve()
    await turn()
  }
  return { queue, running, begun, ask, end }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('with sixty queries of one project, another project waits for one more query at most', async () => {
  const { ask, begun, end } = setUp(1)
  for (let query = 0; query < 60; query++) void ask(project('a'), `a${query}`)
  void ask(project('b'), 'b0')
  await turn()
  for (const name of ['a0', 'a1', 'b0']) await end(name)
  assert.deepEqual(begun, ['a0', 'a1', 'b0', 'a2'])
})

test('the last idle slot is for projects without a slot', async () => {
  const { ask, running, end } = setUp(4)
  for (let query = 0; query < 5; query++) void ask(project('a'), `a${query}`)
  await turn()
  assert.deepEqual([...running.keys()], ['a0', 'a1', 'a2'])
  void ask(project('b'), 'b0')
  void ask(project('b'), 'b1')
  await turn()
  assert.deepEqual([...running.keys()], ['a0', 'a1', 'a2', 'b0'])
  // Only the last slot is free again.
  await end('a0')
  assert.deepEqual([...running.keys()], ['a1', 'a2', 'b0'])
  void ask({ kind: 'service' }, 'm0')
  await turn()
  assert.deepEqual([...running.keys()], ['a1', 'a2', 'b0', 'm0'])
})

test('a single slot is for everybody', async () => {
  const { ask, running, end } = setUp(1)
  void ask(project('a'), 'a0')
  void ask(project('a'), 'a1')
  await turn()
  await end('a0')
  assert.deepEqual([...running.keys()], ['a1'])
})

test('a query whose client disconnects while it waits never runs, and the next one moves up', async () => {
  const { ask, begun, end } = setUp(1)
  const gone = new AbortController()
  void ask(project('a'), 'a0')
  const dropped = ask(project('a', gone.signal), 'a1')
  const last = ask(project('a'), 'a2')
  await turn()
  gone.abort(new Error('the client went away'))
  await assert.rejects(dropped, /went away/)
  await end('a0')
  await end('a2')
  assert.equal(await last, 'a2')
  assert.deepEqual(begun, ['a0', 'a2'])
})

test('a query that fails releases its slot', async () => {
  const { queue, ask, running } = setUp(1)
  await assert.rejects(
    queue.use(project('a'), () => Promise.reject(new Error('wrong'))),
    /wrong/,
  )
  void ask(project('a'), 'a0')
  await turn()
  assert.deepEqual([...running.keys()], ['a0'])
})

test('while all slots are held no query runs, and all wait for the release', async () => {
  const { queue, ask, running, end } = setUp(2)
  void ask(project('a'), 'a0')
  await turn()
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun: string[] = []
  const alone = queue.withAllHeld(async () => {
    begun.push('alone')
    await promise
  })
  void ask(project('b'), 'b0')
  await turn()
  assert.deepEqual([begun, [...running.keys()]], [[], ['a0']])
  await end('a0')
  assert.deepEqual([begun, [...running.keys()]], [['alone'], []])
  resolve()
  await alone
  await turn()
  assert.deepEqual([...running.keys()], ['b0'])
})
