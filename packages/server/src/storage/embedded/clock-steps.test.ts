import { toTraceFilters } from '@spoor/contract/trace-filters'
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { timeOfId } from '../../lib/ids/ids.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { toBucketedSpan } from '../../lib/time/time-buckets.ts'
import { createRates } from '../../pricing/pricer.ts'
import { BEGIN_MS, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { TraceWorld } from '../../traces/trace-world.test-support.ts'
import type { FeedQuery } from '../../traces/use-cases.ts'
import { memoryOnlyJournal } from '../sql/journal/memory-only-journal.test-support.ts'
import { ClickHouseMonitorMeasures } from '../clickhouse/measures/clickhouse-monitor-measures.ts'
import { plainGroup } from '../clickhouse/series/aggregate-world.test-support.ts'
import { ClickHouseExploredSeries } from '../clickhouse/series/clickhouse-explored-series.ts'
import { exploredQuery } from '../clickhouse/series/explored-query.test-support.ts'
import { SeriesCache } from '../clickhouse/series/series-cache.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { LoggedTraceStore } from './logged-trace-store.ts'
import { noLog } from './log/no-log.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { RECORDED_AT_ONCE } from './recorded-at-once.test-support.ts'
import { times } from '../../lib/times.test-support.ts'

const engine = await temporaryEngine()
afterEach(async () => {
  for (const table of ['traces', 'steps']) await engine.command(`TRUNCATE TABLE ${table}`)
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const COUNTED = {
  source: { kind: 'traces', measure: 'count' },
  option: null,
  forEach: null,
  aggregation: 'count',
  filters: { ...toTraceFilters('monitors', {}), metadata: [], source: null },
} as const

interface Created {
  readonly id: TraceId
  readonly at: number
}

interface Span {
  readonly startTime: number
  readonly endTime: number
}

/** The service on a journal and an engine that outlive its restarts, with a clock that a test sets wrong. */
class ClockedWorld {
  readonly #journal = memoryOnlyJournal()
  readonly #store: LoggedTraceStore
  readonly #series: ClickHouseExploredSeries
  readonly #measures: ClickHouseMonitorMeasures
  #world: TraceWorld
  readonly created: Created[] = []

  constructor() {
    const idLeadMs = () => this.#journal.idLeadMs()
    this.#store = new LoggedTraceStore(new ClickHouseTraceStore(engine, { idLeadMs }), noLog(), {
      ...RECORDED_AT_ONCE,
      committedVersion: 0,
      fullText: true,
      timers: new ManualTimers(),
      onSettledAtStart: () => undefined,
      onError: failTest,
      onReleaseError: failTest,
      onRecovered: () => undefined,
    })
    const dependencies = {
      engine,
      settled: () => this.#store.settle(),
      pendingPurges: async () => [],
      removedEvents: async () => new Set<never>(),
      idLeadMs,
      lookUp: async () => null,
      lookUpGroup: plainGroup,
      ratesOf: createRates({ own: async () => new Map() }),
    }
    this.#series = new ClickHouseExploredSeries(dependencies, new SeriesCache(0))
    this.#measures = new ClickHouseMonitorMeasures(dependencies, 1000)
    this.#store.watch(this.#measures)
    this.#world = this.#begin()
  }

  #begin(): TraceWorld {
    return new TraceWorld({ journal: this.#journal, store: this.#store })
  }

  get clockMs(): number {
    return this.#world.clock.now() + this.#world.skewMs
  }

  get idLeadMs(): number {
    return this.#journal.idLeadMs()
  }

  /** The service stops and starts again; the clock stays as it is. */
  restart(): void {
    const before = this.#world
    this.#world = this.#begin()
    this.#world.clock.advance(before.clock.now() - this.#world.clock.now())
    this.#world.skewMs = before.skewMs
  }

  pass(ms: number): void {
    this.#world.clock.advance(ms)
  }

  setAhead(skewMs: number): void {
    this.#world.skewMs = skewMs
  }

  settle(): Promise<void> {
    return this.#store.settle()
  }

  async commit(name = 'refund', idempotencyKey?: string) {
    const body = { name, steps: [{ name: 'answer', status: 'error' }] }
    const receipt = await this.#world.commit(body, idempotencyKey === undefined ? {} : { idempotencyKey })
    if (!receipt.replayed) this.created.push({ id: receipt.id, at: receipt.committedAt })
    return receipt
  }

  /** Walked by cursor in pages of three. */
  async list(fields: Partial<FeedQuery>): Promise<Created[]> {
    const found: Created[] = []
    let cursor: string | null = null
    do {
      const page = await this.#world.list({ limit: 3, ...fields, cursor })
      found.push(...page.traces.map(({ id, createdAt }) => ({ id, at: createdAt })))
      cursor = page.nextCursor
    } while (cursor !== null)
    return found
  }

  async seriesCount(span: Span, words: readonly string[] | null): Promise<number> {
    const bucketed = toBucketedSpan({ ...span, bucket: '1d' }, 0)
    const { points } = await this.#series.exploredSeries(exploredQuery({ ...bucketed, words }))
    return points.reduce((sum, { now }) => sum + now.count, 0)
  }

  async monitored({ startTime, endTime }: Span): Promise<number> {
    const [answer] = await this.#measures.measure(PROJECT, [{ ...COUNTED, from: startTime - 1, until: endTime - 1 }])
    return answer!.samples
  }
}

function failTest(error: unknown): never {
  throw error
}

const STEPS = [
  ['the clock ran a day ahead for one commit', DAY],
  ['the clock stepped back an hour', 0],
] as const

for (const [what, aheadMs] of STEPS) {
  test(`${what}: lists, series and monitors see new traces at once, before and after a restart`, async () => {
    const world = new ClockedWorld()
    world.setAhead(aheadMs)
    await world.commit()
    world.setAhead(aheadMs === 0 ? -HOUR : 0)
    for (const restarts of [false, true]) {
      world.pass(MINUTE)
      if (restarts) world.restart()
      const { clockMs } = world
      const { id, committedAt } = await world.commit()
      assert.equal(committedAt, clockMs)
      const lastMinute = { startTime: clockMs - MINUTE / 2, endTime: clockMs + 1 }
      for (let settled = 0; settled < 2; settled++) {
        assert.deepEqual(await world.list(lastMinute), [{ id, at: clockMs }])
        await world.settle()
      }
      assert.equal(await world.seriesCount(lastMinute, null), 1)
      assert.equal(await world.monitored(lastMinute), 1)
    }
    const ids = world.created.map((one) => one.id)
    assert.deepEqual(ids, ids.toSorted(), 'ids are in the order of arrival')
    assert.ok(world.idLeadMs >= HOUR - MINUTE)
  })
}

test('a replay answers with the creation of the first answer', async () => {
  const world = new ClockedWorld()
  world.setAhead(DAY)
  await world.commit()
  world.setAhead(0)
  const first = await world.commit('refund', 'k')
  world.pass(MINUTE)
  assert.deepEqual(await world.commit('refund', 'k'), { ...first, replayed: true })
})

test('a clock that is right, or was set back by no more than a second, leaves no lead behind', async () => {
  const world = new ClockedWorld()
  for (const skewMs of [0, 1000, 0]) {
    world.setAhead(skewMs)
    const { id, committedAt } = await world.commit()
    assert.equal(committedAt, timeOfId(id))
    assert.equal(world.idLeadMs, 0)
  }
})

test('windows of time hold exactly what was created within, each once, on random clocks', async () => {
  const skews = fc.array(fc.constantFrom(0, 0, DAY, 40 * DAY, -HOUR, 10 * MINUTE), { minLength: 4, maxLength: 12 })
  const places = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean(), fc.boolean()), { minLength: 3, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(skews, places, fc.nat({ max: 11 }), async (steps, windows, settledAfter) => {
      for (const table of ['traces', 'steps']) await engine.command(`TRUNCATE TABLE ${table}`)
      const world = new ClockedWorld()
      for (const [index, skewMs] of steps.entries()) {
        world.pass(7 * MINUTE)
        world.setAhead(skewMs)
        const { clockMs } = world
        const { committedAt } = await world.commit(index % 2 === 0 ? 'refund' : 'flight')
        assert.equal(committedAt, clockMs)
        if (index === settledAfter) await world.settle()
        if (index % 5 === 4) world.restart()
      }
      const edges = [BEGIN_MS - DAY, ...world.created.flatMap(({ at }) => [at, at + 1]), BEGIN_MS + 99 * DAY]
      for (const [a, b, ascending, byKey] of windows) {
        const [from, to] = [edges[a % edges.length]!, edges[b % edges.length]!]
        const span = { startTime: Math.min(from, to), endTime: Math.max(from, to) + 1 }
        const within = world.created.filter(({ at }) => at >= span.startTime && at < span.endTime)
        const refunds = within.filter((one) => world.created.indexOf(one) % 2 === 0)
        const order = ascending ? 'asc' : 'desc'
        const inOrder = (rows: readonly Created[]) => (ascending ? [...rows] : rows.toReversed())
        const sort = byKey ? 'step_count' : 'created_at'
        assert.deepEqual(await world.list({ ...span, order, sort }), inOrder(within))
        assert.deepEqual(await world.list({ ...span, order, sort, text: 'refund' }), inOrder(refunds))
        assert.deepEqual(await world.list({ ...span, order, sort, name: 'refund' }), inOrder(refunds))
      }
      for (const [a, b] of windows) {
        const [from, to] = [edges[a % edges.length]!, edges[b % edges.length]!]
        const span = { startTime: Math.min(from, to), endTime: Math.max(from, to) + 1 }
        const within = world.created.filter(({ at }) => at >= span.startTime && at < span.endTime)
        const refunds = within.filter((one) => world.created.indexOf(one) % 2 === 0)
        assert.equal(await world.seriesCount(span, null), within.length)
        assert.equal(await world.seriesCount(span, ['refund']), refunds.length)
        assert.equal(await world.monitored(span), within.length)
      }
    }),
    { numRuns: times(2) },
  )
})
