import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RememberedReads } from './remembered-reads.ts'

interface Value {
  readonly text: string
}

/** Values that a test changes, and the number of reads. */
class World {
  version = 1
  reads = 0
  readonly stored = new Map<string, Value>()
  readonly remembered: RememberedReads<string, Value>

  constructor(most = 100) {
    this.remembered = new RememberedReads(
      { version: async () => this.version },
      { weightOf: ({ text }) => text.length, most },
    )
  }

  get(key: string): Promise<Value | undefined> {
    return this.remembered.get(key, async () => {
      this.reads++
      return this.stored.get(key)
    })
  }
}

test('a value is read once until another process writes or it is evicted', async () => {
  const world = new World()
  const first = { text: 'a' }
  world.stored.set('a', first)
  assert.equal(await world.get('a'), first)
  assert.equal(await world.get('a'), first)
  assert.equal(world.reads, 1)
  world.version++
  await world.get('a')
  assert.equal(world.reads, 2)
  world.remembered.forget('b')
  await world.get('a')
  assert.equal(world.reads, 2)
  world.remembered.forget('a')
  await world.get('a')
  assert.equal(world.reads, 3)
})

test('a missing value is read again', async () => {
  const world = new World()
  assert.equal(await world.get('a'), undefined)
  world.stored.set('a', { text: 'a' })
  assert.deepEqual(await world.get('a'), { text: 'a' })
})

test('a read during which the value changed is returned but not cached', async () => {
  for (const change of ['forget', 'forgetAll', 'version'] as const) {
    const world = new World()
    const read = Promise.withResolvers<Value>()
    const reading = Promise.withResolvers<void>()
    const early = world.remembered.get('a', () => {
      reading.resolve()
      return read.promise
    })
    await reading.promise
    world.stored.set('a', { text: 'new' })
    if (change === 'version') {
      world.version++
      await world.get('another')
    } else {
      world.remembered[change]('a')
    }
    read.resolve({ text: 'old' })
    assert.deepEqual(await early, { text: 'old' })
    assert.deepEqual(await world.get('a'), { text: 'new' })
  }
})

test('the cache stays within its limit, also after evictions', async () => {
  const world = new World(4)
  for (const key of ['aa', 'bb', 'cc']) world.stored.set(key, { text: key })
  await world.get('aa')
  world.remembered.forget('aa')
  await Promise.all([world.get('aa'), world.get('aa')])
  await world.get('bb')
  world.reads = 0
  await world.get('aa')
  await world.get('bb')
  assert.equal(world.reads, 0)
  await world.get('cc')
  await world.get('aa')
  assert.equal(world.reads, 2)
})

test('many are read with one call for those that are not known', async () => {
  const world = new World()
  const calls: (readonly string[])[] = []
  const getMany = (keys: readonly string[]) =>
    world.remembered.getMany(keys, async (missing) => {
      calls.push(missing)
      return new Map(missing.filter((key) => key !== 'none').map((key) => [key, { text: key }]))
    })
  assert.deepEqual([...(await getMany(['a', 'b', 'a', 'none'])).keys()], ['a', 'b'])
  assert.deepEqual((await getMany(['c', 'a', 'none'])).get('a'), { text: 'a' })
  assert.deepEqual(calls, [
    ['a', 'b', 'none'],
    ['c', 'none'],
  ])
  world.version++
  await getMany(['a'])
  assert.deepEqual(calls[2], ['a'])
})
