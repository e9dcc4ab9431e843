import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { createRates } from '../../../pricing/pricer.ts'
import { idAt, newStep, preparedStep, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, EVERY_TRACE } from '../series/aggregate-world.test-support.ts'
import { SeriesCache } from '../series/series-cache.ts'
import { ClickHouseStepList } from './clickhouse-step-list.ts'
import { ClickHouseTraceSummaries } from './clickhouse-trace-summaries.ts'
import { findFeedCandidates } from './feed-candidates.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const TRACES = 9000
const QUERY = {
  ...EVERY_TRACE,
  throughId: idAt('tr', BEGIN + TRACES),
  after: null,
  limit: 700,
}
const world = await aggregateWorld()
const traces = Array.from({ length: TRACES }, (_, n) =>
  traceRecord(idAt('tr', BEGIN + n), {
    createdAt: BEGIN + n,
    stepCount: 1,
    tokenUsage: { input: (n * 7919) % 500, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    sessionId: `s${(n * n) % 1000}`,
  }),
)
const steps = traces.map((trace, n) =>
  newStep(trace, 0, {
    prepared: preparedStep({ name: 'step', startedAt: BEGIN, endedAt: BEGIN + ((n * 7919) % 500) }),
  }),
)
await world.addTraces(traces, steps)

const OUT_OF_MEMORY = Object.assign(new Error('memory'), { clickhouseCode: 241 })

/** An engine whose reads fail when `isTooMuch` of their SQL, and how many were refused. */
function engineWith(isTooMuch: (sql: string) => boolean) {
  const refused: string[] = []
  const select = async (sql: string) => {
    if (!isTooMuch(sql)) return world.engine.select(sql)
    refused.push(sql)
    throw OUT_OF_MEMORY
  }
  return { engine: { ...world.engine, select }, refused }
}

/** Whether a sorted read covers more than so many of the traces. */
function spansMore(sql: string, most: number): boolean {
  const bound = (sign: string) => new RegExp(`id ${sign}= '(\\w+)'`).exec(sql)?.[1] as TraceId
  const within = traces.filter(({ id }) => id >= bound('>') && id <= bound('<'))
  return sql.includes('ORDER BY sort_key') && within.length > most
}

for (const order of ['asc', 'desc'] as const) {
  test(`a list in the order of a number, ${order}, is read in halves when it needs too much memory`, async () => {
    const page = {
      ...QUERY,
      termGroups: [],
      bounds: [],
      steps: null,
      lowestId: idAt('tr', 0),
      highestId: QUERY.throughId,
      created: null,
      sort: 'total_tokens',
      order,
      atVersion: null,
    } as const
    const { engine, refused } = engineWith((sql) => spansMore(sql, 2500))
    const whole = await findFeedCandidates(world.engine, page)
    assert.equal(whole.length, QUERY.limit)
    assert.deepEqual(await findFeedCandidates(engine, page), whole)
    assert.equal(refused.length, 3)
  })

  test(`so are steps in the order of a number, ${order}`, async () => {
    const query = { ...QUERY, sort: 'duration_ms', order } as const
    const { engine, refused } = engineWith((sql) => spansMore(sql, 2500))
    const whole = await new ClickHouseStepList(world.dependencies).findPlaces(query)
    assert.equal(whole.length, QUERY.limit)
    assert.deepEqual(await new ClickHouseStepList({ ...world.dependencies, engine }).findPlaces(query), whole)
    assert.equal(refused.length, 3)
  })

  test(`sessions by a number, ${order}, are read for a part of them each time`, async () => {
    const prices = await createRates({ own: async () => new Map() })(PROJECT)
    const query = { ...QUERY, by: 'session_id', prices, sort: 'trace_count', order, limit: 50 } as const
    const sliced = / % (\d+) = /
    const { engine, refused } = engineWith((sql) => sql.includes('sort_key') && Number(sliced.exec(sql)?.[1] ?? 1) < 4)
    const summaries = (dependencies: typeof world.dependencies) =>
      new ClickHouseTraceSummaries(dependencies, new SeriesCache()).findSummaries(query)
    const whole = await summaries(world.dependencies)
    assert.equal(whole.length, 50)
    assert.deepEqual(await summaries({ ...world.dependencies, engine }), whole)
    assert.equal(refused.length, 3)
  })
}

test('a read that fails however little it has to read is refused', async () => {
  const { engine, refused } = engineWith((sql) => sql.includes('ORDER BY sort_key'))
  const query = { ...QUERY, sort: 'duration_ms', order: 'desc' } as const
  await assert.rejects(new ClickHouseStepList({ ...world.dependencies, engine }).findPlaces(query), /memory/)
  assert.ok(refused.length > 2, String(refused.length))
})
