import { toTraceFilters } from '@spoor/contract/trace-filters'
import { SUMMARY_SORTS } from '@spoor/contract/schemas/traces/trace-summary'
import { createRates } from '../../pricing/pricer.ts'
import { UNKNOWN_COST } from '../prices/price.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { EMPTY_DIGEST } from '../../traces/rules/trace-digest.ts'
import {
  idAt,
  newStep,
  OTHER_PROJECT,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../traces/trace-builders.test-support.ts'
import { MemorySummaries } from './memory-summaries.test-support.ts'
import type { TraceRecord } from './trace-record.ts'
import { type NewStep, UNKNOWN_DURATION } from './trace-store.ts'
import {
  MOST_USERS,
  type SummaryPageQuery,
  type SummaryPlace,
  type TraceSummary,
  type TraceSummaryStore,
} from './trace-summaries.ts'
import { times } from '../../lib/times.test-support.ts'

export interface SummariesUnderTest {
  readonly store: TraceSummaryStore
  /** Commits versions of traces and steps. */
  write(traces: readonly TraceRecord[], steps?: readonly NewStep[]): Promise<void>
}

const NOON = Date.UTC(2026, 1, 27, 12)
const HOUR = 3_600_000
const LAST = idAt('tr', NOON + 100_000 * HOUR)
const NO_FILTERS = {
  ...toTraceFilters('lists', {}),
  metadata: [],
}

/** A dollar for an input token of the model `m`; other models have no price. */
const DEAR = { model: 'm', input: 1_000_000, output: 0, cacheRead: null, cacheWrite: null, updatedAt: 0 }
const PRICES = await createRates({ own: async () => new Map([['m', DEAR]]) })(PROJECT)
const DOLLAR = 1_000_000_000

const NO_TOKENS = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

const QUERY: SummaryPageQuery = {
  projectId: PROJECT,
  by: 'session_id',
  filters: NO_FILTERS,
  words: null,
  among: null,
  scored: null,
  withoutMetric: null,
  rates: null,
  startTime: null,
  endTime: null,
  throughId: LAST,
  prices: PRICES,
  sort: 'last_at',
  order: 'desc',
  after: null,
  limit: 100,
}

/** The contract of every TraceSummaryStore. `open` returns an empty store. */
export function testTraceSummaries(open: () => Promise<SummariesUnderTest>): void {
  const find = async ({ store }: SummariesUnderTest, query: Partial<SummaryPageQuery> = {}) =>
    (await store.findSummaries({ ...QUERY, ...query })).map(({ value }) => value)
  const sumUp = async ({ store }: SummariesUnderTest, query: Partial<SummaryPageQuery> = {}) =>
    await store.findSummaries({ ...QUERY, ...query })

  test('a store without traces has no sessions and no users', async () => {
    const world = await open()
    for (const by of ['session_id', 'user_id'] as const) {
      assert.deepEqual(await find(world, { by }), [])
      assert.deepEqual(await find(world, { by, filters: { ...NO_FILTERS, sessionId: 's', userId: 's' } }), [])
    }
  })

  test('a session and a user have the sums of their traces', async () => {
    const world = await open()
    const tokenUsage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 1, reasoning: 2 }
    await world.write([
      trace(0, { sessionId: 's', userId: 'u', stepCount: 2, tokenUsage, ownStartedAt: 0, ownEndedAt: 10 }),
      trace(2, { sessionId: 's', userId: 'v', stepCount: 3, status: 'error', tokenUsage }),
      trace(3, { sessionId: 't', userId: 'u', stepCount: 1, ownStartedAt: 0, ownEndedAt: 5 }),
      trace(4, { userId: 'u', stepCount: 7 }),
      trace(5, { sessionId: null, stepCount: 100 }),
    ])
    const [t, s] = await sumUp(world)
    assert.deepEqual([t?.value, t?.traceCount, t?.userIds], ['t', 1, ['u']])
    assert.deepEqual(s, {
      value: 's',
      key: NOON + 2 * HOUR,
      firstAt: NOON,
      lastAt: NOON + 2 * HOUR,
      traceCount: 2,
      stepCount: 5,
      errorCount: 1,
      tokenUsage: { input: 20, output: 10, cacheRead: 8, cacheWrite: 2, reasoning: 4 },
      costKey: UNKNOWN_COST,
      meanDurationMs: 10,
      userIds: ['u', 'v'],
      sessionCount: 0,
    })
    const users = await sumUp(world, { by: 'user_id' })
    assert.deepEqual(
      users.map((user) => [user.value, user.traceCount, user.stepCount, user.sessionCount, user.meanDurationMs]),
      [
        ['u', 3, 10, 2, 8],
        ['v', 1, 3, 1, UNKNOWN_DURATION],
      ],
    )
  })

  test('traces count that lie within bounds of the cost', async () => {
    const world = await open()
    const cost = (input: number, model = 'm') => {
      const tokens = { input, output: 0, cacheRead: 0, cacheWrite: 0 }
      return { sessionId: 's', digest: { ...EMPTY_DIGEST, usage: [{ model, tokens }] } }
    }
    await world.write([trace(0, cost(1)), trace(1, cost(2)), trace(2, cost(3)), trace(3, cost(9, 'unpriced'))])
    const counted = async (filters: Partial<typeof NO_FILTERS>) =>
      (await sumUp(world, { rates: PRICES, filters: { ...NO_FILTERS, ...filters } })).map(
        ({ traceCount }) => traceCount,
      )
    assert.deepEqual(await counted({ minCostUsd: 2 }), [2])
    assert.deepEqual(await counted({ maxCostUsd: 2.5 }), [2])
    assert.deepEqual(await counted({ minCostUsd: 2, maxCostUsd: 2 }), [1])
    assert.deepEqual(await counted({ minCostUsd: 4 }), [])
  })

  test('the cost is that of the models with a price', async () => {
    const world = await open()
    await world.write([
      trace(0, { sessionId: 's', userId: 's', ...using(['m', 10, 2], ['n', 7, 0]) }),
      trace(1, { sessionId: 's', userId: 's', ...using(['m', 9, 9]) }),
      trace(2, { sessionId: 't', userId: 't', ...using(['m', 100, 0]) }),
      trace(3, { sessionId: 's', userId: 's', digest: { ...EMPTY_DIGEST, usage: null } }),
      trace(4, { sessionId: 'none', userId: 'none', ...using(['n', 7, 0]) }),
      trace(5, {
        sessionId: 's',
        userId: 's',
        digest: { ...EMPTY_DIGEST, usage: [{ model: 'm', tokens: NO_TOKENS }] },
      }),
    ])
    for (const by of ['session_id', 'user_id'] as const) {
      const costs = (await sumUp(world, { by })).map(({ value, costKey }) => [value, costKey])
      assert.deepEqual(
        costs.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        [
          ['none', UNKNOWN_COST],
          ['s', 19 * DOLLAR],
          ['t', 100 * DOLLAR],
        ],
      )
    }
  })

  test('only the latest version of a trace counts, and a deleted trace does not', async () => {
    const world = await open()
    await world.write([
      trace(0, { sessionId: null, ...using(['m', 1, 0]) }),
      trace(1, { sessionId: 's', userId: 'gone', ...using(['m', 1000, 0]) }),
      trace(2, { sessionId: 'alone' }),
    ])
    const tombstone = { version: 2, deleted: true, sessionId: null, userId: null }
    await world.write([
      trace(0, { sessionId: 's', version: 2, stepCount: 4, ...using(['m', 5, 0]) }),
      trace(1, tombstone),
      trace(2, tombstone),
    ])
    assert.deepEqual(await find(world), ['s'])
    const [s] = await sumUp(world)
    assert.deepEqual([s?.traceCount, s?.stepCount, s?.userIds, s?.costKey], [1, 4, [], 5 * DOLLAR])
    assert.deepEqual(await find(world, { filters: { ...NO_FILTERS, sessionId: ['s', 'alone'] } }), ['s'])
  })

  test('traces of other projects do not count', async () => {
    const world = await open()
    await world.write([
      trace(0, { sessionId: 's', stepCount: 1 }),
      trace(1, { sessionId: 's', stepCount: 10, projectId: OTHER_PROJECT }),
      trace(2, { sessionId: 'theirs', projectId: OTHER_PROJECT }),
    ])
    assert.deepEqual(await find(world), ['s'])
    assert.equal((await sumUp(world))[0]?.stepCount, 1)
    assert.deepEqual(await find(world, { projectId: OTHER_PROJECT }), ['theirs', 's'])
  })

  test('ids may have any characters and any length', async () => {
    const world = await open()
    const long = 'x'.repeat(500)
    const ids = [`it's "q" \\ \0 \n/?#%2F 東京 🜁`, `${long}a`, `${long}b`, ' ', '%', 'null', '0']
    await world.write(ids.map((sessionId, number) => trace(number, { sessionId, userId: sessionId })))
    for (const by of ['session_id', 'user_id'] as const) {
      assert.deepEqual(await find(world, { by }), ids.toReversed())
      const sums = await sumUp(world, { by })
      assert.deepEqual(
        sums.map(({ value, traceCount, userIds, sessionCount }) => [value, traceCount, userIds, sessionCount]),
        ids.toReversed().map((id) => (by === 'user_id' ? [id, 1, [], 1] : [id, 1, [id], 0])),
      )
    }
  })

  test('a session has the first of many users', async () => {
    const world = await open()
    const users = Array.from({ length: MOST_USERS + 5 }, (_, number) => `user ${String(number).padStart(4, '0')}`)
    await world.write(users.map((userId, number) => trace(number, { sessionId: 's', userId })))
    const [s] = await sumUp(world)
    assert.deepEqual(s?.userIds, users.slice(0, MOST_USERS))
  })

  test('filters, times and words are those of traces', async () => {
    const world = await open()
    const metadata = Buffer.from('{"env":"prod"}')
    const digest = { ...EMPTY_DIGEST, errorTypes: ['TimeoutError'] }
    const told = trace(4, { sessionId: 'told' })
    await world.write(
      [
        trace(0, { sessionId: 'a', status: 'error', flagged: true, models: ['m'], metadata, digest }),
        trace(1, { sessionId: 'a', name: 'Book a flight', userId: 'u', runType: 'eval' }),
        trace(2, { sessionId: 'b', userId: 'u' }),
        told,
      ],
      [newStep(told, 0, { prepared: preparedStep({ texts: ['a flight of stairs'] }) })],
    )
    const filtered = (filters: Partial<SummaryPageQuery['filters']>) =>
      find(world, { filters: { ...NO_FILTERS, ...filters } })
    assert.deepEqual(await filtered({ status: 'error' }), ['a'])
    assert.deepEqual(await filtered({ flagged: false }), ['told', 'b', 'a'])
    assert.deepEqual(await filtered({ userId: 'u' }), ['b', 'a'])
    assert.deepEqual(await filtered({ sessionId: 'b' }), ['b'])
    assert.deepEqual(await filtered({ model: 'm', runType: 'agent' }), ['a'])
    assert.deepEqual(await filtered({ errorType: 'TimeoutError' }), ['a'])
    assert.deepEqual(await filtered({ sessionId: ['b', 'told', 'none'] }), ['told', 'b'])
    assert.deepEqual(await filtered({ notModel: 'm', notUserId: ['none', 'v'] }), ['told', 'b', 'a'])
    assert.deepEqual(await filtered({ notUserId: 'u', notErrorType: 'TimeoutError' }), ['told'])
    assert.deepEqual(await filtered({ metadata: [{ key: 'env', value: 'prod' }] }), ['a'])
    assert.deepEqual(await find(world, { words: ['flight'] }), ['told', 'a'])
    assert.deepEqual(await find(world, { words: ['flig*'] }), ['told', 'a'])
    assert.deepEqual(await find(world, { words: ['light*'] }), [])
    assert.deepEqual(await find(world, { startTime: NOON + HOUR, endTime: NOON + 3 * HOUR }), ['b', 'a'])
    assert.deepEqual(await find(world, { endTime: NOON + HOUR }), ['a'])
    assert.deepEqual(await find(world, { among: [idOf(0), idOf(2)] }), ['b', 'a'])
    const [a] = await sumUp(world, { filters: { ...NO_FILTERS, status: 'error' } })
    assert.deepEqual([a?.traceCount, a?.lastAt], [1, NOON])
  })

  test('a page continues before a trace, and what came later neither counts nor changes the order', async () => {
    const world = await open()
    const names = ['a', 'b', 'c', 'a', 'd', 'b']
    // Months apart: more than one window of time.
    await world.write(names.map((sessionId, number) => trace(700 * number, { sessionId })))
    const through = { throughId: idOf(700 * 5) }
    const first = await world.store.findSummaries({ ...QUERY, ...through, limit: 2 })
    assert.deepEqual(
      first.map(({ value }) => value),
      ['b', 'd'],
    )
    await world.write([trace(4201, { sessionId: 'a' }), trace(4202, { sessionId: 'new' })])
    const [a, c] = await sumUp(world, { ...through, after: first.at(-1) as SummaryPlace })
    assert.deepEqual([a?.value, a?.traceCount, c?.value], ['a', 2, 'c'])
    assert.deepEqual((await find(world, { throughId: idOf(9000) })).slice(0, 2), ['new', 'a'])
  })

  test('equal keys are in the order of names', async () => {
    const world = await open()
    const names = ['b', 'é', '🜁', 'a', '\uffee']
    await world.write(names.map((name, number) => trace(number, { sessionId: name, userId: name })))
    for (const by of ['session_id', 'user_id'] as const) {
      for (const order of ['asc', 'desc'] as const)
        assert.deepEqual(await find(world, { by, sort: 'trace_count', order }), ['a', 'b', 'é', '\uffee', '🜁'])
    }
  })

  test('walks in every order equal a fold over the traces, after each commit', async () => {
    const id = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null })
    const version = fc.record({
      number: fc.nat({ max: 12 }),
      sessionId: id,
      userId: id,
      status: fc.constantFrom('ok' as const, 'error' as const),
      deleted: fc.constantFrom(false, false, false, true),
      input: fc.nat(100),
      model: fc.constantFrom('m', 'n'),
      ownStartedAt: fc.constant(0),
      ownEndedAt: fc.option(fc.nat(100), { nil: null }),
    })
    const asked = fc.record({
      by: fc.constantFrom('session_id' as const, 'user_id' as const, 'user_id' as const),
      sort: fc.constantFrom(...SUMMARY_SORTS),
      order: fc.constantFrom('asc' as const, 'desc' as const),
      status: fc.constantFrom('ok' as const, null, null),
      user: fc.constantFrom('a', ['b', 'c'], null, null),
      limit: fc.integer({ min: 1, max: 3 }),
      from: fc.constantFrom(null, 13, 40),
      to: fc.constantFrom(null, 70, 100),
      through: fc.constantFrom(6, 12, 12),
    })
    const commit = fc.record({ traces: fc.array(version, { maxLength: 12 }), asked })
    const property = fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 5 }), async (commits) => {
      const world = await open()
      const plain = new MemorySummaries()
      for (const [at, { traces: rows, asked: of }] of commits.entries()) {
        const traces = [...new Map(rows.map((row) => [row.number, row])).values()].map(
          ({ number, input, model, ...fields }) =>
            trace(number * 9, { ...fields, version: at + 1, stepCount: input, ...using([model, input, 0]) }),
        )
        if (traces.length > 0) await world.write(traces)
        plain.add(traces)
        const { by, sort, order, limit, status, user, from, to, through } = of
        const query: SummaryPageQuery = {
          ...QUERY,
          by,
          sort,
          order,
          limit,
          filters: { ...NO_FILTERS, status, userId: user },
          startTime: from === null ? null : NOON + from * HOUR,
          endTime: to === null ? null : NOON + to * HOUR,
          throughId: idOf(through * 9),
        }
        assert.deepEqual(await walk(world.store, query), await plain.findSummaries({ ...query, limit: 100 }))
      }
    })
    await fc.assert(property, { numRuns: times(5) })
  })
}

/** All pages. */
async function walk(store: TraceSummaryStore, query: SummaryPageQuery): Promise<readonly TraceSummary[]> {
  const walked: TraceSummary[] = []
  for (let after: SummaryPlace | null = null; ; after = walked.at(-1) ?? null) {
    const page = await store.findSummaries({ ...query, after })
    walked.push(...page)
    if (page.length < query.limit) return walked
  }
}

/** A trace that used these tokens of each model, and wrote one. */
function using(...used: readonly (readonly [model: string, input: number, cacheRead: number])[]) {
  const usage = used.map(([model, input, cacheRead]) => ({
    model,
    tokens: { input, output: 1, cacheRead, cacheWrite: 0 },
  }))
  return { digest: { ...EMPTY_DIGEST, usage } }
}

function idOf(hour: number): TraceId {
  return idAt('tr', NOON + hour * HOUR)
}

function trace(hour: number, fields: Partial<TraceRecord> = {}): TraceRecord {
  return traceRecord(idOf(hour), { createdAt: NOON + hour * HOUR, ...fields })
}
