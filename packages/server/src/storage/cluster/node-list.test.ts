import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { eventually } from '../../../../../e2e/lib/eventually.ts'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { OtherNode } from '../../ports/nodes/nodes.ts'
import { testPostgresql } from '../sql/postgresql/test-postgresql.test-support.ts'
import { NodeList, type NodeListOptions, ownerAmong } from './node-list.ts'
import { partitionOf, PARTITIONS } from './partitions.ts'

const NUMBERS = Array.from({ length: PARTITIONS }, (_, at) => at + 1)
const named = (holder: string): OtherNode => ({ holder, address: `http://${holder}.example:4319` })
/** A project of each partition. */
const PROJECTS = (() => {
  const { newId } = createIdGenerator(systemClock, randomBytes)
  const found = Map.groupBy(
    Array.from({ length: 3000 }, () => newId('proj')),
    partitionOf,
  )
  return NUMBERS.map((number) => found.get(number)![0]!)
})()

test('partitions are spread over the nodes; one that comes or goes moves only its own', () => {
  const nodes = ['a', 'b', 'c', 'd'].map(named)
  const [three, four] = [nodes.slice(0, 3), nodes].map((of) => NUMBERS.map((number) => ownerAmong(of, number).holder))
  for (const { holder } of nodes) {
    const share = four!.filter((owner) => owner === holder).length
    assert.ok(share >= 6 && share <= 28, `${holder} has ${share} of ${PARTITIONS}`)
  }
  for (const [at, owner] of four!.entries()) if (owner !== 'd') assert.equal(owner, three![at])
  const turned = NUMBERS.map((number) => ownerAmong(nodes.toReversed(), number).holder)
  assert.deepEqual(turned, four)
})

const server = await testPostgresql()
if (typeof server === 'string') test('the list of nodes', { skip: server }, () => undefined)
else {
  interface Member {
    readonly list: NodeList
    readonly ended: string[]
    readonly errors: string[]
  }
  const open = async (context: TestContext, url: string, holder: string, options: Partial<NodeListOptions> = {}) => {
    const [ended, errors]: [string[], string[]] = [[], []]
    const list = new NodeList({
      database: await server.open(context, { url }),
      self: named(holder),
      clock: systemClock,
      timers: systemTimers,
      onEnd: (node, hasLeft) => ended.push(`${node.holder} ${hasLeft ? 'has left' : 'is away'}`),
      onError: (error) => errors.push(String(error)),
      ...options,
    })
    context.after(() => list.leave())
    return { list, ended, errors } satisfies Member
  }
  let heads = 0
  /** As the next read of the log does after a change. */
  const lookAt = async ({ list }: Member, holds: () => boolean) => {
    list.look(++heads)
    await eventually('the list is read', holds)
  }
  const share = ({ list }: Member) => PROJECTS.filter((project) => list.ownerOf(project) === null).length

  test('each partition has one owner among those that run; one that leaves keeps none', async (context) => {
    const url = await server.migratedUrl(context)
    const [a, b] = [await open(context, url, 'a'), await open(context, url, 'b')]
    assert.equal(share(a), PARTITIONS, 'alone, it handles everything, also before it has joined')
    const version = async () => (await server.query(url, 'SELECT version FROM control_version'))[0]?.['version']
    const before = await version()
    await a.list.join()
    assert.notEqual(await version(), before, 'other nodes notice it')
    assert.deepEqual([share(a), a.list.count], [PARTITIONS, 1])
    await b.list.join()
    const owners = a.list.owners
    await lookAt(a, () => a.list.count === 2)
    assert.notEqual(a.list.owners, owners)
    assert.equal(share(a) + share(b), PARTITIONS)
    for (const project of PROJECTS) {
      const [ofA, ofB] = [a.list.ownerOf(project), b.list.ownerOf(project)]
      assert.deepEqual([ofA, ofB].filter((owner) => owner !== null).length, 1)
      const owner = ofA ?? ofB
      assert.equal(owner?.address, named(owner?.holder ?? '').address)
    }
    await b.list.leave()
    assert.equal(share(b), 0, 'it sends everything to the others')
    await lookAt(a, () => a.list.count === 1)
    assert.deepEqual([share(a), a.ended, a.errors], [PARTITIONS, ['b has left'], []])
    await b.list.leave()
  })

  test('one that stops without leaving is none after 7 s; when it goes on it is one again', async (context) => {
    const url = await server.migratedUrl(context)
    const clock = { time: 0, now: () => clock.time }
    const timers = new ManualTimers()
    const [a, frozen] = [
      await open(context, url, 'a', { clock }),
      await open(context, url, 'frozen', { clock, timers }),
    ]
    await frozen.list.join()
    await a.list.join()
    assert.equal(a.list.count, 2)
    clock.time = 6000
    await lookAt(a, () => a.list.count === 2)
    assert.deepEqual(a.ended, [])
    clock.time = 8000
    await lookAt(a, () => a.list.count === 1)
    assert.deepEqual([share(a), a.ended], [PARTITIONS, ['frozen is away']])
    clock.time = 0
    timers.advance(3000)
    const count = async () => (await server.query(url, 'SELECT count(*) FROM nodes'))[0]?.['count']
    await eventually('both are in the table', async () => (await count()) === '2')
    await lookAt(a, () => a.list.count === 2)
    assert.equal(share(a) + share(frozen), PARTITIONS)
    // It waits for nothing when PostgreSQL does not answer.
    const leaving = frozen.list.leave()
    timers.advance(1000)
    await leaving
  })

  test('one that cannot be reached is left out until the list is read again', async (context) => {
    const url = await server.migratedUrl(context)
    const members = []
    for (const holder of ['a', 'b', 'c']) members.push(await open(context, url, holder))
    for (const { list } of members) await list.join()
    const [a, , c] = members as [Member, Member, Member]
    await lookAt(a, () => a.list.count === 3)
    const ofB = PROJECTS.filter((project) => a.list.ownerOf(project)?.holder === 'b')
    assert.ok(ofB.length > 0)
    for (const { list } of [a, c]) list.setUnreachable(named('b'))
    for (const project of ofB) {
      const [next, same] = [a.list.ownerOf(project)?.holder ?? 'a', c.list.ownerOf(project)?.holder ?? 'c']
      assert.equal(next, same, 'both choose the same one in its place')
      assert.notEqual(next, 'b')
    }
    await lookAt(a, () => a.list.ownerOf(ofB[0]!)?.holder === 'b')
  })
}
