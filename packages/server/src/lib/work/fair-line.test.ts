import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../domain-error.ts'
import { FairLine } from './fair-line.ts'
import type { Requester } from './requester.ts'

function project(name: string, signal = new AbortController().signal): Requester {
  return { kind: 'project', projectId: `proj_${name}` as ProjectId, signal }
}

/** What they asked for, in the order of their turns. */
function callAll(line: FairLine<string, null>): string[] {
  const order: string[] = []
  for (let turn = line.next(() => true); turn !== undefined; turn = line.next(() => true)) {
    order.push(turn.asked)
    turn.pass(null)
  }
  return order
}

test('projects take turns however many requests one of them sends; its own come in order', () => {
  const line = new FairLine<string, null>()
  for (const asked of ['a1', 'a2', 'a3', 'a4']) void line.wait(project('a'), asked)
  for (const asked of ['b1', 'b2']) void line.wait(project('b'), asked)
  void line.wait(project('c'), 'c1')
  assert.deepEqual(callAll(line), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('a project that comes anew is behind those that wait already', () => {
  const line = new FairLine<string, null>()
  for (const asked of ['a1', 'a2']) void line.wait(project('a'), asked)
  void line.wait(project('b'), 'b1')
  line.next(() => true)?.pass(null)
  void line.wait(project('c'), 'c1')
  assert.deepEqual(callAll(line), ['b1', 'a2', 'c1'])
})

test('commits, the service and all projects together take turns', () => {
  const line = new FairLine<string, null>()
  for (const name of ['a', 'b', 'c']) void line.wait(project(name), name)
  for (const asked of ['m1', 'm2']) void line.wait({ kind: 'service' }, asked)
  for (const asked of ['k1', 'k2']) void line.wait({ kind: 'commit' }, asked)
  assert.deepEqual(callAll(line), ['k1', 'm1', 'a', 'k2', 'm2', 'b', 'c'])
})

test('who may not pass is left out, and keeps its turn', () => {
  const line = new FairLine<string, null>()
  void line.wait(project('a'), 'a1')
  void line.wait(project('b'), 'b1')
  assert.equal(line.next(({ asked }) => asked === 'b1')?.asked, 'b1')
  assert.equal(
    line.next(() => false),
    undefined,
  )
  assert.deepEqual(callAll(line), ['a1', 'b1'])
})

test('who leaves while it waits is not called, and learns why', async () => {
  const line = new FairLine<string, null>()
  const gone = new AbortController()
  const first = line.wait(project('a', gone.signal), 'a1')
  void line.wait(project('a'), 'a2')
  gone.abort(new Error('the client went away'))
  await assert.rejects(first, /went away/)
  await assert.rejects(line.wait(project('a', gone.signal), 'a3'), /went away/)
  assert.deepEqual(callAll(line), ['a2'])
})

test('who leaves after its turn has what it was given', async () => {
  const line = new FairLine<string, string>()
  const gone = new AbortController()
  const waiting = line.wait(project('a', gone.signal), 'a1')
  line.next(() => true)?.pass('a slot')
  gone.abort(new Error('the client went away'))
  assert.equal(await waiting, 'a slot')
})

test('a project may have so many waiting and no more; others, commits and the service are not counted with it', async () => {
  const line = new FairLine<string, null>(2)
  for (const asked of ['a1', 'a2']) void line.wait(project('a'), asked)
  await assert.rejects(
    line.wait(project('a'), 'a3'),
    (error) => error instanceof DomainError && error.code === 'too_many_reads' && error.retryAfterSeconds === 2,
  )
  void line.wait(project('b'), 'b1')
  for (const asked of ['m1', 'm2', 'm3']) void line.wait({ kind: 'service' }, asked)
  assert.deepEqual(callAll(line), ['m1', 'a1', 'm2', 'b1', 'm3', 'a2'])
  void line.wait(project('a'), 'a4')
  assert.deepEqual(callAll(line), ['a4'])
})

test('a request that had a turn is not refused at its next', async () => {
  const line = new FairLine<string, null>(2)
  const requester = project('a')
  void line.wait(requester, 'first')
  callAll(line)
  for (const asked of ['a1', 'a2']) void line.wait(project('a'), asked)
  void line.wait(requester, 'second')
  await assert.rejects(line.wait(project('a'), 'a3'), DomainError)
  assert.deepEqual(callAll(line), ['a1', 'a2', 'second'])
})
