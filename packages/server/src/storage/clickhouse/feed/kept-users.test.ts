import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SummaryPageQuery } from '../../../ports/traces/trace-summaries.ts'
import { createRates } from '../../../pricing/pricer.ts'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, disturbed, EVERY_TRACE } from '../series/aggregate-world.test-support.ts'
import { SeriesCache } from '../series/series-cache.ts'
import { ClickHouseTraceSummaries } from './clickhouse-trace-summaries.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const HOUR = 3_600_000
const world = await aggregateWorld()
const prices = await createRates({ own: async () => new Map() })(PROJECT)

const QUERY: SummaryPageQuery = {
  ...EVERY_TRACE,
  by: 'user_id',
  throughId: idAt('tr', BEGIN + 100 * HOUR),
  prices,
  sort: 'last_at',
  order: 'desc',
  after: null,
  limit: 100,
}

const trace = (hour: number, userId: string | null, fields: Parameters<typeof traceRecord>[1] = {}) =>
  traceRecord(idAt('tr', BEGIN + hour * HOUR), { createdAt: BEGIN + hour * HOUR, userId, ...fields })

/** Users of 40 hours, `a` in each; counts the statements that read sums. */
async function openUsers(beside: (sql: string) => Promise<void> = async () => undefined) {
  await world.clear()
  const cache = new SeriesCache()
  let sums = 0
  const engine = disturbed(world.engine, beside)
  const counting = {
    ...engine,
    select(sql: string) {
      if (sql.includes('sum(step_count)')) sums++
      return engine.select(sql)
    },
  }
  const store = new ClickHouseTraceSummaries({ ...world.dependencies, engine: counting }, cache)
  const commit = async (...traces: ReturnType<typeof trace>[]) => {
    cache.note({ traces, metricEvents: [] })
    await world.addTraces(traces)
  }
  await commit(...Array.from({ length: 40 }, (_, hour) => trace(hour, hour % 2 === 0 ? 'a' : `u${hour}`)))
  const counts = async (query: Partial<SummaryPageQuery> = {}) => {
    sums = 0
    const found = await store.findSummaries({ ...QUERY, throughId: idAt('tr', BEGIN + 41 * HOUR), ...query })
    return { statements: sums, of: new Map(found.map(({ value, traceCount }) => [value, traceCount])) }
  }
  /** The second page keeps sums. */
  const keep = async (query: Partial<SummaryPageQuery> = {}) =>
    [await counts(query), await counts(query)].map(({ statements }) => statements)
  return { commit, counts, cache, keep }
}

test('a commit costs a repeated page the bucket of its trace', async () => {
  const { commit, counts, keep } = await openUsers()
  const [first = 0, second = 0] = await keep()
  assert.equal(first, 1)
  assert.ok(second >= 13 && second <= 17, `${second} statements`)
  assert.deepEqual(await counts().then(({ statements, of }) => [statements, of.get('a')]), [0, 20])
  await commit(trace(4, 'b', { version: 2 }), trace(6, null, { version: 2, deleted: true }))
  const after = await counts({ sort: 'trace_count' })
  assert.deepEqual([after.of.get('a'), after.of.get('b')], [18, 1])
  assert.ok(after.statements <= 2, `${after.statements} statements`)
})

test('a page whose sums need more memory than a read has is read from the engine each time', async () => {
  let refused = 0
  const { counts } = await openUsers(async (sql) => {
    if (!sql.includes('groupUniqArrayIf')) return
    refused++
    throw Object.assign(new Error('memory'), { clickhouseCode: 241 })
  })
  for (let page = 0; page < 3; page++) assert.equal((await counts()).of.get('a'), 20)
  assert.equal(refused, 1)
})

test('a page of one user, and of a time, takes what is kept', async () => {
  const { counts, keep } = await openUsers()
  const filters = { ...QUERY.filters, userId: 'a' }
  assert.deepEqual(await counts({ filters }), { statements: 1, of: new Map([['a', 20]]) })
  await keep()
  assert.deepEqual(await counts({ filters }), { statements: 0, of: new Map([['a', 20]]) })
  assert.deepEqual((await counts({ filters, startTime: BEGIN - HOUR })).statements, 0)
})

test('the newest bucket is kept until a trace comes, and not taken by a walk that began before', async () => {
  const { commit, counts, keep } = await openUsers()
  await keep()
  await commit(trace(39.5, 'new'))
  const walk = { throughId: idAt('tr', BEGIN + 39.25 * HOUR) }
  for (let at = 0; at < 2; at++) {
    const { statements, of } = await counts(walk)
    assert.deepEqual([statements, of.get('new')], [1, undefined])
  }
  const counted = []
  for (let at = 0; at < 2; at++) counted.push((await counts()).statements)
  assert.deepEqual(counted, [1, 0])
  assert.equal((await counts()).of.get('new'), 1)
  const { statements, of } = await counts(walk)
  assert.deepEqual([statements, of.get('new')], [1, undefined])
})

test('a trace that is committed while sums are read is not missed afterwards', async () => {
  let later: (() => Promise<void>) | null = null
  const { commit, counts } = await openUsers(async () => {
    const run = later
    later = null
    await run?.()
  })
  await counts()
  later = () => commit(trace(2, 'late', { version: 2 }))
  await counts()
  assert.equal((await counts()).of.get('late'), 1)
})

test('buckets end with the project, although the store has later traces', async () => {
  const { commit, counts, keep } = await openUsers()
  const muchLater = { throughId: idAt('tr', BEGIN + 4000 * HOUR) }
  const [, second = 0] = await keep(muchLater)
  assert.ok(second >= 13 && second <= 17, `${second} statements`)
  assert.deepEqual(await counts(muchLater).then(({ statements, of }) => [statements, of.get('a')]), [0, 20])
  await commit(trace(50, 'new'))
  const after = await counts(muchLater)
  assert.deepEqual([after.statements > 0, after.of.get('new'), after.of.get('a')], [true, 1, 20])
})

test('users of too many traces are not kept', async () => {
  const { commit, counts, cache } = await openUsers()
  const many = Array.from({ length: 20_000 }, (_, at) =>
    traceRecord(idAt('tr', BEGIN + 10 * HOUR, at + 1), { createdAt: BEGIN + 10 * HOUR, userId: `one of many, ${at}` }),
  )
  await commit(...many)
  for (let at = 0; at < 2; at++) assert.equal((await counts({ sort: 'trace_count' })).of.get('a'), 20)
  assert.ok(cache.numbers < 5000, `${cache.numbers} numbers`)
  assert.deepEqual((await counts({ sort: 'trace_count' })).statements, 1)
})
