import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import fc from 'fast-check'
import type { MetricEventRecord } from '../../ports/journal/metric-event.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import {
  metricEventRecord,
  METRIC,
  newMetricEvent,
  OTHER_METRIC,
} from '../../traces/commit/metric-event-builders.test-support.ts'
import { idAt } from '../../traces/trace-builders.test-support.ts'
import { ClickHouseMetricEvents } from '../clickhouse/rows/clickhouse-metric-events.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { JoinedMetricEventStore } from '../recent/joined-metric-event-store.ts'
import { LoggedStoreWorld, never, withInsert } from './logged-store-world.test-support.ts'
import { LoggedTraceStore } from './logged-trace-store.ts'
import { compareNewest } from '../../ports/metrics/metric-event-order.ts'
import { noLog } from './log/no-log.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { RECORDED_AT_ONCE } from './recorded-at-once.test-support.ts'
import { SETTLE_AFTER_MS } from './settle/settler.ts'
import { times } from '../../lib/times.test-support.ts'

const engine = await temporaryEngine()
const NOW = Date.UTC(2026, 5, 1)

const TABLES = ['steps', 'traces', 'metric_events', 'metric_points'] as const
const fate = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('judge' as const),
      trace: fc.nat(2),
      events: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('commit' as const), trace: fc.nat(2), events: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'settle' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'die' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dieBehind' as const), table: fc.constantFrom(...TABLES) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'dieStaged' as const }) },
)

test('whatever settles, dies and starts again, and when: every acknowledged event is there once', async (context) => {
  let worlds = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: 3, maxLength: 9 }), async (plan) => {
      worlds += 1
      const world = await LoggedStoreWorld.open(context, engine, worlds * 1000)
      const ids = [0, 1, 2].map((index) => idAt('tr', Date.UTC(2026, index, 1) + worlds * 60_000, index))
      await world.commit(...ids.map((id) => ({ id, steps: ['{}'] })))
      for (const step of plan) {
        if (step.kind === 'judge') await world.judge(changeOf(ids, step))
        if (step.kind === 'commit') await world.commit({ ...changeOf(ids, step), steps: ['{}'] })
        if (step.kind === 'settle') await world.store.settled()
        if (step.kind === 'dieBehind') await settleUntil(world, step.table)
        if (step.kind === 'dieStaged') await world.store.stage(world.toCommit([{ id: ids[0]!, events: ['{}'] }]))
        if (step.kind.startsWith('die')) await world.start()
        await world.assertReads()
      }
      await world.start()
      await world.assertSettled()
      await world.assertReads()
    }),
    { numRuns: times(5) },
  )
})

function changeOf(ids: readonly TraceId[], { trace, events }: { trace: number; events: number }) {
  return { id: ids[trace]!, events: Array.from({ length: events }, (_, index) => `{"n":${index}}`) }
}

/** Everything waiting goes into the tables up to this one, and no further. */
async function settleUntil(world: LoggedStoreWorld, last: (typeof TABLES)[number]): Promise<void> {
  const inserts: Promise<void>[] = []
  // What waits would be settled by the start, which never ends with such an engine.
  await world.store.settled()
  await world.start(
    withInsert(engine, async (table, real) => {
      if (TABLES.indexOf(table as never) > TABLES.indexOf(last)) return never()
      const insert = real()
      inserts.push(insert)
      await insert
      return table === last ? never() : undefined
    }),
  )
  await world.commit({ id: [...world.newest().keys()][0]!, steps: ['{}'], events: ['{}', '{}'] })
  world.timers.advance(1000)
  do {
    await Promise.all(inserts)
    await new Promise((resolve) => setImmediate(resolve))
  } while (inserts.length < TABLES.indexOf(last) + 1)
  await Promise.all(inserts)
}

const move = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('judge' as const),
      trace: fc.nat(2),
      events: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('letOn' as const), which: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'settle' as const }) },
)
const question = fc.record({
  trace: fc.nat(2),
  metricId: fc.constantFrom(null, METRIC, OTHER_METRIC),
  ofTrace: fc.boolean(),
  limit: fc.constantFrom(1, 3, 1000),
})

let version = 0

test('while events settle, readers find all that is published, once, at every moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(move, question), { minLength: 4, maxLength: 12 }), async (plan) => {
      const world = new StoppedWorld()
      const under: Promise<void>[] = []
      for (const [step, asked] of plan) {
        // One that began before, so that rows move while it is under way.
        under.push(world.assertReads(asked))
        if (step.kind === 'judge') await world.judge(step.trace, step.events)
        else if (step.kind === 'letOn') await world.letOn(step.which)
        else world.timers.advance(SETTLE_AFTER_MS)
        await world.arrived()
        await world.assertReads(asked)
      }
      await Promise.all(under)
      await world.finish()
      for (const [, asked] of plan) await world.assertReads(asked)
    }),
    { numRuns: times(4) },
  )
})

/**
 * A store whose inserts stop before and after the engine takes them, until they are let on; and all that was published.
 */
class StoppedWorld {
  readonly timers = new ManualTimers()
  readonly events: MetricEventRecord[] = []
  readonly #number = (version += 1)
  readonly #stopped: (() => void)[] = []
  readonly #inserting = new Set<Promise<void>>()
  #open = false
  readonly #traces = new LoggedTraceStore(
    new ClickHouseTraceStore(
      withInsert(engine, async (_table, real) => {
        await this.#stop()
        const insert = real()
        this.#inserting.add(insert)
        await insert
        this.#inserting.delete(insert)
        await this.#stop()
      }),
    ),
    noLog(),
    {
      ...RECORDED_AT_ONCE,
      committedVersion: version,
      fullText: true,
      timers: this.timers,
      onSettledAtStart: () => undefined,
      onError: failTest,
      onRecovered: () => assert.fail('nothing failed'),
      onReleaseError: failTest,
    },
  )
  readonly #store = new JoinedMetricEventStore({
    recent: this.#traces.recentMetricEvents,
    settled: new ClickHouseMetricEvents(engine),
    journal: { removedEvents: async () => new Set(), deletedAmong: async () => new Set() },
    clock: { now: () => NOW },
  })

  async judge(trace: number, count: number): Promise<void> {
    version += 1
    const records = Array.from({ length: count }, (_, index) => {
      const number = this.events.length + 1 + index
      return metricEventRecord(idAt('mev', NOW, version * 100 + number), {
        projectId: this.#project,
        traceId: this.#trace(trace),
        metricId: number % 2 === 0 ? METRIC : OTHER_METRIC,
        at: NOW - (number % 3) * 10_000_000,
        version,
      })
    })
    const metricEvents = records.map((record) => newMetricEvent(record))
    await this.#traces.stage({ version, traces: [], steps: [], metricEvents })
    this.#traces.publish(version)
    this.events.push(...records)
  }

  async letOn(which: number): Promise<void> {
    if (this.#stopped.length === 0) return
    const [go] = this.#stopped.splice(which % this.#stopped.length, 1)
    go?.()
  }

  async arrived(): Promise<void> {
    do {
      await Promise.all(this.#inserting)
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.#inserting.size > 0)
  }

  async finish(): Promise<void> {
    this.#open = true
    for (const go of this.#stopped.splice(0)) go()
    await this.#traces.settled()
  }

  /** Exactly what was published when it began, and what came since or not. */
  async assertReads({ trace, metricId, ofTrace, limit }: typeof question extends fc.Arbitrary<infer T> ? T : never) {
    const traceId = this.#trace(trace)
    const before = [...this.events]
    const base = {
      projectId: this.#project,
      stepId: null,
      source: null,
      ...toTraceFilters('events', {}),
      metadata: [],
      startTime: null,
      endTime: null,
      after: null,
    }
    const asked = (event: MetricEventRecord) =>
      (!ofTrace || event.traceId === traceId) && (metricId === null || event.metricId === metricId)
    const [listed, ofOne] = await Promise.all([
      this.#store.list({ ...base, metricId, traceId: ofTrace ? traceId : null, limit }),
      this.#store.findByTraces({ projectId: this.#project, traceIds: [traceId], after: null, limit }),
    ])
    const expectedList = before.filter(asked).toSorted(compareNewest)
    const expectedOfOne = before.filter((event) => event.traceId === traceId)
    const known = new Set(this.events.map(({ id }) => id))
    for (const [found, expected] of [
      [listed, expectedList],
      [ofOne, expectedOfOne],
    ] as const) {
      const ids = found.map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length, 'one came twice')
      assert.ok(ids.every((id) => known.has(id)))
      const old = new Set(before.map(({ id }) => id))
      const foundOld = ids.filter((id) => old.has(id))
      // What came meanwhile may take places of a full page.
      const most = limit - (ids.length - foundOld.length)
      assert.deepEqual(
        foundOld,
        expected.slice(0, most).map(({ id }) => id),
      )
    }
  }

  get #project(): ProjectId {
    return idAt('proj', NOW, this.#number)
  }

  #trace(number: number): TraceId {
    return idAt('tr', NOW, this.#number * 10 + number)
  }

  async #stop(): Promise<void> {
    if (!this.#open) await new Promise<void>((resolve) => this.#stopped.push(resolve))
  }
}

function failTest(error: unknown): never {
  throw error
}
