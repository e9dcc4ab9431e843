import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../domain-error.ts'
import { FairQueue } from './fair-queue.ts'
import type { Requester } from './requester.ts'

function project(name: string, signal = new AbortController().signal): Requester {
  return { kind: 'project', projectId: `proj_${name}` as ProjectId, signal }
}

/** The demands, in the order of their turns. */
function callAll(queue: FairQueue<string, null>): string[] {
  const order: string[] = []
  for (let turn = queue.next(() => true); turn !== undefined; turn = queue.next(() => true)) {
    order.push(turn.demand)
    turn.pass(null)
  }
  return order
}

test('projects take turns, however many requests one of them sends; requests of one project keep their order', () => {
  const queue = new FairQueue<string, null>()
  for (const demand of ['a1', 'a2', 'a3', 'a4']) void queue.wait(project('a'), demand)
  for (const demand of ['b1', 'b2']) void queue.wait(project('b'), demand)
  void queue.wait(project('c'), 'c1')
  assert.deepEqual(callAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('a new project comes after the projects that already wait', () => {
  const queue = new FairQueue<string, null>()
  for (const demand of ['a1', 'a2']) void queue.wait(project('a'), demand)
  void queue.wait(project('b'), 'b1')
  queue.next(() => true)?.pass(null)
  void queue.wait(project('c'), 'c1')
  assert.deepEqual(callAll(queue), ['b1', 'a2', 'c1'])
})

test('commits, the service and all projects together take turns', () => {
  const queue = new FairQueue<string, null>()
  for (const name of ['a', 'b', 'c']) void queue.wait(project(name), name)
  for (const demand of ['m1', 'm2']) void queue.wait({ kind: 'service' }, demand)
  for (const demand of ['k1', 'k2']) void queue.wait({ kind: 'commit' }, demand)
  assert.deepEqual(callAll(queue), ['k1', 'm1', 'a', 'k2', 'm2', 'b', 'c'])
})

test('a request that may not pass is skipped and keeps its turn', () => {
  const queue = new FairQueue<string, null>()
  void queue.wait(project('a'), 'a1')
  void queue.wait(project('b'), 'b1')
  assert.equal(queue.next(({ demand }) => demand === 'b1')?.demand, 'b1')
  assert.equal(
    queue.next(() => false),
    undefined,
  )
  assert.deepEqual(callAll(queue), ['a1', 'b1'])
})

test('an aborted request gets no turn and rejects with the reason', async () => {
  const queue = new FairQueue<string, null>()
  const gone = new AbortController()
  const first = queue.wait(project('a', gone.signal), 'a1')
  void queue.wait(project('a'), 'a2')
  gone.abort(new Error('the client went away'))
  await assert.rejects(first, /went away/)
  await assert.rejects(queue.wait(project('a', gone.signal), 'a3'), /went away/)
  assert.deepEqual(callAll(queue), ['a2'])
})

test('a request that is aborted after its turn keeps its result', async () => {
  const queue = new FairQueue<string, string>()
  const gone = new AbortController()
  const waiting = queue.wait(project('a', gone.signal), 'a1')
  queue.next(() => true)?.pass('a slot')
  gone.abort(new Error('the client went away'))
  assert.equal(await waiting, 'a slot')
})

test('bounds the waiting requests of a project; other projects, commits and the service do not count', async () => {
  const queue = new FairQueue<string, null>(2)
  for (const demand of ['a1', 'a2']) void queue.wait(project('a'), demand)
  await assert.rejects(
    queue.wait(project('a'), 'a3'),
    (error) => error instanceof DomainError && error.code === 'too_many_reads' && error.retryAfterSeconds === 2,
  )
  void queue.wait(project('b'), 'b1')
  for (const demand of ['m1', 'm2', 'm3']) void queue.wait({ kind: 'service' }, demand)
  assert.deepEqual(callAll(queue), ['m1', 'a1', 'm2', 'b1', 'm3', 'a2'])
  void queue.wait(project('a'), 'a4')
  assert.deepEqual(callAll(queue), ['a4'])
})

test('a request that had a turn is never refused later', async () => {
  const queue = new FairQueue<string, null>(2)
  const requester = project('a')
  void queue.wait(requester, 'first')
  callAll(queue)
  for (const demand of ['a1', 'a2']) void queue.wait(project('a'), demand)
  void queue.wait(requester, 'second')
  await assert.rejects(queue.wait(project('a'), 'a3'), DomainError)
  assert.deepEqual(callAll(queue), ['a1', 'a2', 'second'])
})
