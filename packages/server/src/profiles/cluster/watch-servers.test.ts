import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { createLogger } from '../../operation/logging.ts'
import { Readiness } from '../../operation/readiness.ts'
import { watchServers } from './watch-servers.ts'

const NAMES = ['postgresql', 'clickhouse', 's3'] as const

interface World {
  /** Names of servers that do not answer. */
  readonly away: string[]
  /** Why commits fail. */
  commitFailure: DomainError | null
  refusal: DomainError | null
  usesClickHouse: boolean
  /** Queries of ClickHouse, of all shards. */
  queries: number
}

const newWorld = (fields: Partial<World> = {}): World => ({
  away: [],
  commitFailure: null,
  refusal: null,
  usesClickHouse: false,
  queries: 0,
  ...fields,
})

async function watch(world: World) {
  const readiness = new Readiness(NAMES)
  const ask = (name: string) => async () => {
    if (world.away.includes(name)) throw new DomainError('storage_unavailable', 'It is away.')
  }
  const [postgresql, clickhouse, s3] = NAMES.map(ask)
  const servers = {
    database: { version: async () => postgresql?.() },
    shards: [null, clickhouse].map((answer) => ({
      async select() {
        world.queries++
        await answer?.()
        return []
      },
    })),
    blobs: { size: async () => (await s3?.(), null) },
    log: {
      refusal: () => world.refusal,
      wasReadWithin: () => false,
      async probe() {
        if (world.commitFailure !== null) throw world.commitFailure
      },
    },
    usesClickHouse: () => world.usesClickHouse,
  }
  const rounds = await watchServers(servers, readiness, createLogger('silent'))
  return { readiness, stop: () => rounds.stop() }
}

async function readinessWithout(fields: Partial<World>): Promise<Readiness> {
  const { readiness, stop } = await watch(newWorld(fields))
  await stop()
  return readiness
}

const noted = (readiness: Readiness) => readiness.parts().flatMap(({ name, detail }) => (detail === null ? [] : [name]))

test('a node whose servers all answer is ready', async () => {
  const readiness = await readinessWithout({})
  assert.deepEqual([readiness.ready, noted(readiness)], [true, []])
})

test('without PostgreSQL a node is not ready', async () => {
  const readiness = await readinessWithout({ away: ['postgresql'] })
  assert.deepEqual([readiness.ready, noted(readiness)], [false, ['postgresql']])
})

test('without ClickHouse a node is ready with a note, until too much waits to be settled', async () => {
  const readiness = await readinessWithout({ away: ['clickhouse'] })
  assert.deepEqual([readiness.ready, noted(readiness)], [true, ['clickhouse']])
  assert.match(readiness.parts()[1]?.detail ?? '', /^Shard 2 of ClickHouse does not answer/)
  const full = await readinessWithout({
    away: ['clickhouse'],
    refusal: new DomainError('storage_unavailable', 'Too much waits.'),
  })
  assert.deepEqual([full.ready, noted(full)], [false, ['clickhouse']])
})

test('without the bucket a node is ready with a note', async () => {
  const readiness = await readinessWithout({ away: ['s3'] })
  assert.deepEqual([readiness.ready, noted(readiness)], [true, ['s3']])
})

test('while commits fail a node is not ready, and it is again when they pass', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const world = newWorld()
  const { readiness, stop } = await watch(world)
  for (const [failure, detail] of [
    [new DomainError('disk_full', 'Full.'), /^the disk of PostgreSQL is full/],
    [null, null],
    [new DomainError('storage_unavailable', 'Read only.'), /^PostgreSQL takes no commits/],
    [null, null],
  ] as const) {
    world.commitFailure = failure
    await pass(context, 2000)
    const [postgresql] = readiness.parts()
    assert.deepEqual([readiness.ready, postgresql?.ok], [failure === null, failure === null])
    if (detail !== null) assert.match(postgresql?.detail ?? '', detail)
  }
  await stop()
})

test('an idle ClickHouse is not asked; one that is used, or does not answer, is', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const world = newWorld()
  const { readiness, stop } = await watch(world)
  const queriesIn = async (ms: number) => {
    const before = world.queries
    await pass(context, ms)
    return world.queries - before
  }
  assert.equal(await queriesIn(600_000), 0)
  world.usesClickHouse = true
  world.away.push('clickhouse')
  assert.equal(await queriesIn(4000), 4)
  assert.deepEqual(noted(readiness), ['clickhouse'])
  world.usesClickHouse = false
  assert.equal(await queriesIn(4000), 4)
  world.away.pop()
  assert.equal(await queriesIn(2000), 2)
  assert.deepEqual(noted(readiness), [])
  assert.equal(await queriesIn(600_000), 0)
  await stop()
})

/** Second by second, so that the work of a timer has ended before the next one. */
async function pass(context: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    context.mock.timers.tick(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
