import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { MeasureFilters, WindowQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { assertNear, plainQuantile } from '../series/aggregate-reference.test-support.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseMonitorMeasures } from './clickhouse-monitor-measures.ts'
import { KeptWindows } from './kept-windows.ts'

const INTERVAL = 12_000
const HOUR = 3_600_000
const NOON = Date.UTC(2026, 1, 27, 12)
const NO_FILTERS: MeasureFilters = { ...toTraceFilters('monitors', {}), metadata: [], source: null }

const world = await aggregateWorld()
const statements: string[] = []
/** Runs before each read of the engine. */
let beside: () => Promise<void>
/** Runs after each read, before its result is used. */
let afterwards: () => Promise<void>
let measures: ClickHouseMonitorMeasures

beforeEach(async () => {
  await world.clear()
  statements.length = 0
  beside = async () => undefined
  afterwards = async () => undefined
  const { engine } = world
  const select: typeof engine.select = async (sql) => {
    statements.push(sql)
    await beside()
    const found = await engine.select(sql)
    await afterwards()
    return found
  }
  measures = new ClickHouseMonitorMeasures({ ...world.dependencies, engine: { ...engine, select } }, INTERVAL)
})

function query(until: number, fields: Partial<WindowQuery> = {}, windowMs = HOUR): WindowQuery {
  const source = { kind: 'traces', measure: 'count' } as const
  return {
    source,
    filters: NO_FILTERS,
    aggregation: 'count',
    option: null,
    forEach: null,
    from: until - windowMs,
    until,
    ...fields,
  }
}

const duration = { source: { kind: 'traces', measure: 'duration_ms' }, aggregation: 'p95' } as const

function lasting(n: number, createdAt: number, durationMs: number): TraceRecord {
  return traceRecord(idAt('tr', createdAt, n), { createdAt, ownStartedAt: 0, ownEndedAt: durationMs })
}

async function commit(...traces: readonly TraceRecord[]): Promise<void> {
  await world.addTraces(traces)
  measures.note({ traces })
}

async function valuesOf(...queries: readonly WindowQuery[]): Promise<readonly (number | null)[]> {
  return (await measures.measure(PROJECT, queries)).map(({ value }) => value)
}

/** What the statements since the last call read, seconds. */
function secondsRead(): readonly number[] {
  return statements.splice(0).map((sql) => {
    const ids = [...sql.matchAll(/id (?:>=|<) '(tr_[0-9a-z]{10})/g)].map(([, id]) => id)
    const times = ids.map((id) => SPANS.get(id as string) as number)
    return times.reduce((sum, time, at) => sum + (at % 2 === 0 ? -time : time), 0) / 1000
  })
}

/** By the beginning of an id at that time. */
const SPANS = new Map(
  Array.from({ length: (2 * HOUR) / 1000 }, (_, second) => {
    const time = NOON - HOUR - HOUR / 2 + second * 1000 + 1
    return [idAt('tr', time).slice(0, 13), time] as const
  }),
)

test('a window that moved reads only its newest bucket, once for all that measure the same', async () => {
  await commit(lasting(1, NOON - 1000, 5))
  const all = (until: number) => [query(until), query(until, duration), query(until, duration, HOUR / 4)]
  await measures.measure(PROJECT, all(NOON))
  secondsRead()
  await commit(lasting(2, NOON + 1000, 15))
  assert.deepEqual(await valuesOf(...all(NOON + INTERVAL)), [2, 14.5, 14.5])
  // Sums, then the numbers for percentiles.
  assert.deepEqual(secondsRead(), [12, 12])
})

test('without a new commit, a window at the same time reads nothing', async () => {
  await commit(lasting(1, NOON - 1000, 5))
  assert.deepEqual(await valuesOf(query(NOON)), [1])
  secondsRead()
  assert.deepEqual(await valuesOf(query(NOON)), [1])
  assert.deepEqual(secondsRead(), [])
})

test('a late change reads the bucket of its trace again', async () => {
  const old = lasting(1, NOON - HOUR / 2, 5)
  await commit(old, lasting(2, NOON, 5))
  assert.deepEqual(await valuesOf(query(NOON)), [2])
  secondsRead()
  await commit({ ...old, version: 2, deleted: true })
  assert.deepEqual(await valuesOf(query(NOON)), [1])
  // An hour has long buckets of 192 s.
  assert.deepEqual(secondsRead(), [192])
})

test('one monitor at two times in one measurement', async () => {
  await commit(lasting(1, NOON, 5))
  assert.deepEqual(await valuesOf(query(NOON), query(NOON - INTERVAL), query(NOON)), [1, 0, 1])
})

test('what is committed during a measurement counts in the next one', async () => {
  let n = 0
  const changes = [
    () => commit(lasting((n += 1), NOON, 5)),
    () =>
      commit(traceRecord(idAt('tr', NOON - HOUR / 2, 100), { createdAt: NOON - HOUR / 2, version: 2, deleted: true })),
    () => commit(lasting((n += 1), NOON - HOUR / 2, 5)),
  ]
  for (const change of changes) {
    beside = async () => {
      beside = async () => undefined
      await change()
    }
    await measures.measure(PROJECT, [query(NOON), query(NOON, duration)])
    const fresh = new ClickHouseMonitorMeasures(world.dependencies, INTERVAL)
    const all = [query(NOON), query(NOON, duration)]
    assert.deepEqual(await measures.measure(PROJECT, all), await fresh.measure(PROJECT, all))
  }
})

test('a measurement that begins during another leaves nothing that was read before a change', async () => {
  await commit(lasting(1, NOON, 5))
  let second: Promise<unknown> = Promise.resolve()
  afterwards = async () => {
    afterwards = async () => undefined
    await commit(lasting(2, NOON, 5))
    second = measures.measure(PROJECT, [query(NOON)])
  }
  await measures.measure(PROJECT, [query(NOON)])
  await second
  assert.deepEqual(await valuesOf(query(NOON)), [2])
})

test('a measurement that failed is repeated', async () => {
  await commit(lasting(1, NOON, 5), lasting(2, NOON, 15))
  for (const failing of [1, 2]) {
    let reads = 0
    beside = async () => {
      reads += 1
      if (reads === failing) throw new Error('the engine is away')
    }
    await assert.rejects(measures.measure(PROJECT, [query(NOON, duration)]), /the engine is away/)
  }
  beside = async () => undefined
  assert.deepEqual(await valuesOf(query(NOON, duration)), [14.5])
})

test('percentiles of very many numbers are close to the exact ones, and exact again when most have left', async () => {
  const durations = Array.from({ length: 20_000 }, (_, n) => 1000 + ((n * 7919) % 20_011) * 3)
  const burst = durations.map((ms, n) => lasting(n, NOON - 50_000 - (n % 500) * 4000, ms))
  // First few, then many: kept numbers are rounded.
  await commit(...burst.slice(0, 9000))
  const p95 = (until: number) => query(until, duration)
  const assertExact = async (until: number, numbers: readonly number[]) =>
    assertNear({ p95: (await valuesOf(p95(until)))[0] }, { p95: plainQuantile(numbers, 0.95) })
  await assertExact(NOON, durations.slice(0, 9000))
  await commit(...burst.slice(9000))
  const [rounded] = await valuesOf(p95(NOON))
  const exact = plainQuantile(durations, 0.95)
  assert.ok(Math.abs((rounded as number) / exact - 1) <= 0.002, `${rounded} is not close to ${exact}`)
  const [fresh] = await new ClickHouseMonitorMeasures(world.dependencies, INTERVAL).measure(PROJECT, [p95(NOON)])
  assert.equal(rounded, fresh?.value)
  const later = NOON + HOUR - INTERVAL * 70
  const left = burst.filter(({ createdAt }) => createdAt > later - HOUR).map(({ ownEndedAt }) => ownEndedAt as number)
  assert.ok(left.length < 8192 && left.length > 1000, `${left.length} are left`)
  await assertExact(later, left)
})

test('windows are forgotten when they are too large together, not measured any more, or changed in very many places', async () => {
  const windowOf = async (of: KeptWindows) => (await of.begin(PROJECT, [query(NOON)]))[0]
  const kept = new KeptWindows(INTERVAL)
  assert.equal(await windowOf(kept), await windowOf(kept))

  const small = new KeptWindows(INTERVAL, 10)
  const window = await windowOf(small)
  for (const place of window!.missing) window!.put(place, new Map())
  await windowOf(small)
  assert.notEqual(await windowOf(small), window)

  const unused = new KeptWindows(INTERVAL)
  const before = await windowOf(unused)
  await unused.begin(OTHER_PROJECT, [query(NOON + HOUR)])
  assert.notEqual(await windowOf(unused), before)

  const changed = new KeptWindows(INTERVAL)
  const whole = await windowOf(changed)
  changed.note({ traces: Array.from({ length: 10_001 }, (_, n) => ({ projectId: PROJECT, createdAt: n * INTERVAL })) })
  assert.notEqual(await windowOf(changed), whole)
})

test('queries of metrics and windows that end elsewhere are not kept', async () => {
  const kept = new KeptWindows(INTERVAL)
  const metric = { kind: 'metric', metricId: idAt('met', 1) } as const
  assert.deepEqual(await kept.begin(PROJECT, [query(NOON, { source: metric }), query(NOON + 1)]), [null, null])
})
