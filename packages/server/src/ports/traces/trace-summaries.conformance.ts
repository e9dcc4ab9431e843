import { toTraceFilters } from '@spoor/contract/trace-filters'
import { costKey } from '../../pricing/cost-key.ts'
import type { ModelRates, TokenRates } from '../prices/price.ts'
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
import type { NewStep } from './trace-store.ts'
import {
  MOST_OTHERS,
  type SummaryField,
  type SummaryPageQuery,
  type SummaryPlace,
  type TraceSummaryStore,
} from './trace-summaries.ts'

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
  before: null,
  limit: 100,
}

/** The contract of every TraceSummaryStore. `open` returns an empty store. */
export function testTraceSummaries(open: () => Promise<SummariesUnderTest>): void {
  const find = async ({ store }: SummariesUnderTest, query: Partial<SummaryPageQuery> = {}) =>
    (await store.findSummaries({ ...QUERY, ...query })).map(({ value }) => value)
  const sumUp = async ({ store }: SummariesUnderTest, query: Partial<SummaryPageQuery> = {}) =>
    await summaries(store, { ...QUERY, ...query })

  test('a store without traces has no sessions and no users', async () => {
    const world = await open()
    for (const by of ['session_id', 'user_id'] as const) {
      assert.deepEqual(await find(world, { by }), [])
      assert.deepEqual(await world.store.sumUp({ ...QUERY, by }, ['s']), [])
    }
  })

  test('a session and a user have the sums of their traces', async () => {
    const world = await open()
    const tokenUsage = { input: 10, output: 5, cacheRead: 4, cacheWrite: 1, reasoning: 2 }
    await world.write([
      trace(0, { sessionId: 's', userId: 'u', stepCount: 2, tokenUsage }),
      trace(2, { sessionId: 's', userId: 'v', stepCount: 3, status: 'error', tokenUsage }),
      trace(3, { sessionId: 't', userId: 'u', stepCount: 1 }),
      trace(4, { userId: 'u', stepCount: 7 }),
      trace(5, { sessionId: null, stepCount: 100 }),
    ])
    const [t, s] = await sumUp(world)
    assert.deepEqual([t?.value, t?.traceCount, t?.others], ['t', 1, { count: 1, first: ['u'] }])
    assert.deepEqual(s, {
      value: 's',
      firstAt: NOON,
      lastAt: NOON + 2 * HOUR,
      traceCount: 2,
      stepCount: 5,
      errorCount: 1,
      tokenUsage: { input: 20, output: 10, cacheRead: 8, cacheWrite: 2, reasoning: 4 },
      usage: [],
      others: { count: 2, first: ['u', 'v'] },
    })
    const users = await sumUp(world, { by: 'user_id' })
    assert.deepEqual(
      users.map(({ value, traceCount, stepCount, others }) => [value, traceCount, stepCount, others.count]),
      [
        ['u', 3, 10, 2],
        ['v', 1, 3, 1],
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
    const dear: TokenRates = { input: 1_000_000, output: 0, cacheRead: null, cacheWrite: null }
    const ratesOf: ModelRates['of'] = (model) => (model === 'm' ? dear : null)
    const rates = { of: ratesOf, costKey: costKey.bind(null, ratesOf), fingerprint: '' }
    const counted = async (filters: Partial<typeof NO_FILTERS>) =>
      (await sumUp(world, { rates, filters: { ...NO_FILTERS, ...filters } })).map(({ traceCount }) => traceCount)
    assert.deepEqual(await counted({ minCostUsd: 2 }), [2])
    assert.deepEqual(await counted({ maxCostUsd: 2.5 }), [2])
    assert.deepEqual(await counted({ minCostUsd: 2, maxCostUsd: 2 }), [1])
    assert.deepEqual(await counted({ minCostUsd: 4 }), [])
  })

  test('tokens are summed by model', async () => {
    const world = await open()
    await world.write([
      trace(0, { sessionId: 's', ...using(['m', 10, 2], ['n', 7, 0]) }),
      trace(1, { sessionId: 's', ...using(['m', 9, 9]) }),
      trace(2, { sessionId: 't', ...using(['m', 100, 0]) }),
      trace(3, { sessionId: 's', digest: { ...EMPTY_DIGEST, usage: null } }),
      trace(4, { sessionId: 's', digest: { ...EMPTY_DIGEST, usage: [{ model: 'idle', tokens: NO_TOKENS }] } }),
    ])
    const [found] = await world.store.sumUp(QUERY, ['s'])
    assert.deepEqual(found?.usage, [
      { model: 'idle', tokens: NO_TOKENS },
      { model: 'm', tokens: { input: 19, cacheRead: 11, cacheWrite: 0, output: 2 } },
      { model: 'n', tokens: { input: 7, cacheRead: 0, cacheWrite: 0, output: 1 } },
    ])
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
    assert.deepEqual([s?.traceCount, s?.stepCount, s?.others.count], [1, 4, 0])
    assert.deepEqual(
      (await world.store.sumUp(QUERY, ['s', 'alone'])).map(({ value, usage }) => [value, usage[0]?.tokens.input]),
      [['s', 5]],
    )
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
        sums.map(({ value, traceCount, others }) => [value, traceCount, others.first]),
        ids.toReversed().map((id) => [id, 1, [id]]),
      )
    }
  })

  test('a session has the first of many users', async () => {
    const world = await open()
    const users = Array.from({ length: MOST_OTHERS + 5 }, (_, number) => `user ${String(number).padStart(4, '0')}`)
    await world.write(users.map((userId, number) => trace(number, { sessionId: 's', userId })))
    const [s] = await sumUp(world)
    assert.deepEqual(s?.others, { count: users.length, first: users.slice(0, MOST_OTHERS) })
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
    const before = (first.at(-1) as SummaryPlace).lastTraceId
    assert.deepEqual(await find(world, { ...through, before }), ['a', 'c'])
    const [a] = await world.store.sumUp({ ...QUERY, ...through }, ['a'])
    assert.equal(a?.traceCount, 2)
    assert.deepEqual((await find(world, { throughId: idOf(9000) })).slice(0, 2), ['new', 'a'])
  })

  test('walks equal a fold over the traces', async () => {
    const id = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null })
    const version = fc.record({
      number: fc.nat({ max: 12 }),
      sessionId: id,
      userId: id,
      status: fc.constantFrom('ok' as const, 'error' as const),
      deleted: fc.constantFrom(false, false, false, true),
      input: fc.nat(100),
    })
    const property = fc.asyncProperty(
      fc.array(fc.array(version, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom<SummaryField>('session_id', 'user_id'),
      fc.constantFrom('ok' as const, 'error' as const, null),
      fc.integer({ min: 1, max: 3 }),
      async (commits, by, status, limit) => {
        const world = await open()
        const plain = new MemorySummaries()
        for (const [at, commit] of commits.entries()) {
          const rows = [...new Map(commit.map((row) => [row.number, row])).values()]
          const traces = rows.map(({ number, input, ...fields }) =>
            trace(number * 9, { ...fields, version: at + 1, ...using(['m', input, 0]) }),
          )
          if (traces.length > 0) await world.write(traces)
          plain.add(traces)
        }
        const query = { ...QUERY, by, filters: { ...NO_FILTERS, status } }
        const walked: SummaryPlace[] = []
        for (let before: TraceId | null = null; ; before = walked.at(-1)!.lastTraceId) {
          const page = await world.store.findSummaries({ ...query, before, limit })
          walked.push(...page)
          if (page.length < limit) break
        }
        assert.deepEqual(walked, await plain.findSummaries(query))
        if (walked.length === 0) return
        assert.deepEqual(await summaries(world.store, query), await summaries(plain, query))
      },
    )
    await fc.assert(property, { numRuns: 8 })
  })
}

async function summaries(store: TraceSummaryStore, query: SummaryPageQuery) {
  const values = (await store.findSummaries(query)).map(({ value }) => value)
  if (values.length === 0) return []
  const found = new Map((await store.sumUp(query, values)).map((summary) => [summary.value, summary]))
  return values.map((value) => found.get(value)!)
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
