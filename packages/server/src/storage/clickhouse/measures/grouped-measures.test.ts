import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { nameOfField } from '@spoor/contract/series-fields'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { MetricEventRecord } from '../../../ports/journal/metric-event.ts'
import type {
  MeasureFilters,
  MeasureQuery,
  MeasureResult,
  WindowQuery,
} from '../../../ports/monitors/monitor-measures.ts'
import type { NewStep } from '../../../ports/traces/trace-store.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import {
  metricEventRecord,
  METRIC,
  newMetricEvent,
  OTHER_METRIC,
} from '../../../traces/commit/metric-event-builders.test-support.ts'
import { NO_USAGE } from '../../../traces/rules/rollup.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, newStep, preparedStep, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { plainQuantile } from '../series/aggregate-reference.test-support.ts'
import { ratesOf } from '../series/explored-query.test-support.ts'
import { aggregateWorld, plainGroup } from '../series/aggregate-world.test-support.ts'
import { ClickHouseMonitorMeasures } from './clickhouse-monitor-measures.ts'
import type { LookUpGroup } from './looked-up-rows.ts'

const INTERVAL = 12_000
const MINUTE = 60_000
const NOON = Date.UTC(2026, 1, 27, 12)
const NO_FILTERS: MeasureFilters = { ...toTraceFilters('monitors', {}), metadata: [], source: null }
const world = await aggregateWorld()
let measures: ClickHouseMonitorMeasures

beforeEach(async () => {
  await world.clear()
  measures = new ClickHouseMonitorMeasures(world.dependencies, INTERVAL)
})

const QUERY: MeasureQuery = {
  source: { kind: 'steps', measure: 'count' },
  filters: NO_FILTERS,
  aggregation: 'count',
  option: null,
  forEach: null,
}

function over(fields: Partial<MeasureQuery>, until = NOON + 10 * INTERVAL, windowMs = 10 * MINUTE): WindowQuery {
  return { ...QUERY, ...fields, from: until - windowMs, until }
}

async function measured(...queries: readonly WindowQuery[]): Promise<readonly MeasureResult[]> {
  return await measures.measure(PROJECT, queries)
}

/** Without the last digits, which depend on the order of additions. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(9))
}

function groupsOf(result: MeasureResult | undefined) {
  return Object.fromEntries(
    (result?.groups ?? []).map(({ group, value, samples }) => [group, [rounded(value), samples]]),
  )
}

interface Shape {
  readonly name: string
  readonly failed?: boolean
  readonly ms?: number
  readonly firstTokenMs?: number
  readonly model?: string
  readonly input?: number
}

async function add(n: number, fields: Partial<TraceRecord>, shapes: readonly Shape[]): Promise<TraceRecord> {
  const createdAt = fields.createdAt ?? NOON
  const trace = traceRecord(idAt('tr', createdAt, n), { createdAt, stepCount: shapes.length, ...fields })
  const steps = shapes.map(
    ({ name, failed = false, ms = 0, firstTokenMs = null, model = null, input }, at): NewStep => {
      const times = { startedAt: createdAt, endedAt: createdAt + ms, firstTokenMs }
      const tokenUsage = input === undefined ? null : { ...NO_USAGE, input }
      const own = { name, status: failed ? ('error' as const) : ('ok' as const), model, tokenUsage, ...times }
      return newStep(trace, at, { prepared: preparedStep(own) })
    },
  )
  await world.addTraces([trace], steps)
  measures.note({ traces: [trace] })
  return trace
}

test('steps are measured with filters of their own and of their trace', async () => {
  await add(1, { userId: 'u1' }, [
    { name: 'search', failed: true, ms: 100 },
    { name: 'search', ms: 300, firstTokenMs: 40 },
    { name: 'plan', firstTokenMs: 60 },
  ])
  await add(2, { userId: 'u2' }, [{ name: 'search', ms: 200 }])
  const source = { kind: 'steps', measure: 'error_rate' } as const
  const filters = { ...NO_FILTERS, stepName: 'search' }
  const ofUser = { ...filters, userId: 'u1', minStepDurationMs: 200 }
  const [count, rate, one, long, first] = await measured(
    over({}),
    over({ source, filters, aggregation: 'sum' }),
    over({ filters: ofUser }),
    over({ source: { kind: 'steps', measure: 'duration_ms' }, filters, aggregation: 'p50' }),
    over({ source: { kind: 'steps', measure: 'time_to_first_token_ms' }, aggregation: 'avg' }),
  )
  assert.deepEqual(count, { value: 4, samples: 4 })
  assert.deepEqual(rate, { value: 1, samples: 3 })
  assert.deepEqual(one, { value: 1, samples: 1 })
  assert.deepEqual(long, { value: 200, samples: 3 })
  assert.deepEqual(first, { value: 50, samples: 2 })
})

test('groups are by a field of the step, of its trace, of the steps of a trace, and by metadata', async () => {
  const metadata = Buffer.from('{"env":"prod"}')
  await add(1, { userId: 'u1', metadata }, [{ name: 'search', failed: true }, { name: 'plan' }])
  await add(2, { userId: 'u2', status: 'error' }, [{ name: 'search' }, { name: 'search' }])
  await add(3, {}, [{ name: 'plan' }])
  const traces = { source: { kind: 'traces', measure: 'error_rate' }, aggregation: 'avg' } as const
  const [byName, byUser, ofSteps, byKey] = await measured(
    over({ forEach: 'step_name' }),
    over({ source: { kind: 'steps', measure: 'error_rate' }, aggregation: 'sum', forEach: 'user_id' }),
    over({ ...traces, forEach: 'step_name' }),
    over({ ...traces, forEach: 'metadata.env' }),
  )
  assert.deepEqual(groupsOf(byName), { search: [3, 3], plan: [2, 2] })
  assert.deepEqual(groupsOf(byUser), { u1: [1, 2], u2: [0, 2] })
  assert.deepEqual(groupsOf(ofSteps), { plan: [0, 2], search: [0.5, 2] })
  assert.deepEqual(groupsOf(byKey), { prod: [0, 1] })
})

test('groups by metrics and clusters are those of the moment, over traces, steps and events', async () => {
  const first = await add(1, {}, [{ name: 'search' }, { name: 'plan' }])
  const second = await add(2, {}, [{ name: 'search' }])
  const third = await add(3, {}, [])
  const [one, two] = [idAt('clu', NOON, 1), idAt('clu', NOON, 2)]
  let members: readonly (readonly [ClusterId, readonly TraceId[]])[] = [[one, [first.id, third.id]]]
  const kinds = { verdict: [OTHER_METRIC, 'enum'], solved: [METRIC, 'boolean'] } as const
  const lookUpGroup: LookUpGroup = async (projectId, field) => {
    if (field === 'cluster') return { by: field, members }
    const [metricId, kind] = kinds[nameOfField(field, 'metric') as keyof typeof kinds] ?? []
    return metricId === undefined ? plainGroup(projectId, field) : { by: 'metric', metricId, kind: kind as 'enum' }
  }
  measures = new ClickHouseMonitorMeasures({ ...world.dependencies, lookUpGroup }, INTERVAL)
  const verdict = (option: string) => ({ metricId: OTHER_METRIC, value: { kind: 'enum', option } as const })
  const solved = (passed: boolean) => ({ metricId: METRIC, value: { kind: 'boolean', passed } as const })
  const event = (n: number, trace: TraceRecord, fields: Partial<MetricEventRecord>) =>
    newMetricEvent(metricEventRecord(idAt('mev', NOON, n), { traceId: trace.id, at: NOON, ...fields }))
  const ofStep = { stepId: idAt('st', NOON, 7) }
  await world.addMetricEvents([
    event(1, first, verdict('good')),
    event(2, second, verdict('bad')),
    event(3, second, verdict('good')),
    event(4, first, { ...solved(true), ...ofStep }),
    event(5, third, solved(false)),
  ])
  const traces = { source: { kind: 'traces', measure: 'count' }, aggregation: 'count' } as const
  const events = { source: { kind: 'metric', metricId: METRIC }, aggregation: 'count' } as const
  const queries = [
    over({ ...traces, forEach: 'metric.verdict' }),
    over({ ...traces, forEach: 'metric.solved' }),
    over({ ...events, forEach: 'metric.verdict' }),
    over({ ...traces, forEach: 'cluster' }),
    over({ forEach: 'cluster' }),
    over({ ...events, forEach: 'cluster' }),
  ]
  const counts = async () => {
    const now = await measured(...queries)
    const { until } = over({})
    const times = { firstAt: until, stepMs: INTERVAL, count: 1, windowMs: 10 * MINUTE }
    for (const [at, query] of queries.entries()) {
      const [past] = await measures.measureOver(PROJECT, query, times)
      assert.deepEqual(groupsOf(past), groupsOf(now[at]), `${at}`)
    }
    return now.map((result) => Object.fromEntries((result.groups ?? []).map(({ group, samples }) => [group, samples])))
  }
  const [byVerdict, bySolved] = [
    { good: 2, bad: 1 },
    { true: 1, false: 1 },
  ]
  assert.deepEqual(await counts(), [byVerdict, bySolved, { good: 1 }, { [one]: 2 }, { [one]: 2 }, { [one]: 2 }])
  members = [
    [one, [first.id]],
    [two, [second.id, third.id]],
  ]
  world.removed.add(idAt('mev', NOON, 3))
  const both = { [one]: 1, [two]: 2 }
  const moved = [both, { [one]: 2, [two]: 1 }, { [one]: 1, [two]: 1 }]
  assert.deepEqual(await counts(), [{ good: 1, bad: 1 }, bySolved, { good: 1 }, ...moved])
  await world.clear()
  measures.note({ traces: [first, second, third] })
  assert.deepEqual(await counts(), [{}, {}, {}, {}, {}, {}])
})

test('a trace is in the groups of its steps that pass the filters of steps', async () => {
  await add(1, {}, [{ name: 'search', failed: true }, { name: 'plan' }])
  await add(2, {}, [{ name: 'search' }, { name: 'plan', failed: true }])
  await add(3, {}, [{ name: 'search', failed: true }, { name: 'search' }])
  const traces = { source: { kind: 'traces', measure: 'count' }, forEach: 'step_name' } as const
  const [failed, all, fine] = await measured(
    over({ ...traces, filters: { ...NO_FILTERS, stepStatus: 'error' } }),
    over(traces),
    over({ ...traces, filters: { ...NO_FILTERS, stepStatus: 'ok' } }),
  )
  assert.deepEqual(groupsOf(failed), { search: [2, 2], plan: [1, 1] })
  assert.deepEqual(groupsOf(all), { search: [3, 3], plan: [2, 2] })
  assert.deepEqual(groupsOf(fine), { search: [2, 2], plan: [1, 1] })
})

test('costs are read again by the prices of the moment; by model, that of a trace is divided', async () => {
  let perMillion = 1_000_000
  const ratesNow = () => ratesOf({ a: { input: perMillion }, b: { input: 2 * perMillion } })
  measures = new ClickHouseMonitorMeasures({ ...world.dependencies, ratesOf: ratesNow }, INTERVAL)
  const usageOf = (model: string, input: number) => ({
    model,
    tokens: { input, output: 0, cacheRead: 0, cacheWrite: 0 },
  })
  const usage = [usageOf('a', 3), usageOf('b', 5), usageOf('unknown', 7)]
  const models = ['a', 'b', 'unknown']
  const step = (model: string, input: number) => ({ name: model, model, input })
  await add(1, { models, digest: { ...EMPTY_DIGEST, usage } }, [step('a', 3), step('b', 5), step('unknown', 7)])
  await add(2, { models: ['a'], digest: { ...EMPTY_DIGEST, usage: [usageOf('a', 4)] } }, [step('a', 4)])
  const ofTraces = { source: { kind: 'traces', measure: 'cost_usd' }, aggregation: 'sum' } as const
  const ofSteps = { source: { kind: 'steps', measure: 'cost_usd' }, aggregation: 'avg' } as const
  const queries = [
    over(ofTraces),
    over({ ...ofTraces, filters: { ...NO_FILTERS, model: 'b' } }),
    over({ ...ofTraces, aggregation: 'p50' }),
    over(ofSteps),
  ]
  const [all, some, middle, steps] = await measured(...queries)
  assert.deepEqual(all, { value: 17, samples: 2 })
  assert.deepEqual(some, { value: 13, samples: 1 })
  assert.deepEqual(middle, { value: 8.5, samples: 2 })
  assert.deepEqual(steps, { value: 17 / 3, samples: 3 })
  const byModel = [
    { ...ofTraces, forEach: 'model' as const },
    { ...ofSteps, forEach: 'model' as const },
  ]
  const expected = [
    { a: [7, 2], b: [10, 1], unknown: [0, 1] },
    { a: [3.5, 2], b: [10, 1] },
  ]
  for (const [at, query] of byModel.entries()) {
    const [groups] = await measured(over(query))
    assert.deepEqual(groupsOf(groups), expected[at])
    const { until } = over(query)
    const times = { firstAt: until, stepMs: INTERVAL, count: 1, windowMs: 10 * MINUTE }
    const [past] = await measures.measureOver(PROJECT, { ...QUERY, ...query }, times)
    assert.deepEqual(groupsOf(past), expected[at])
  }
  perMillion *= 2
  assert.deepEqual(await measured(...queries), [
    { value: 34, samples: 2 },
    { value: 26, samples: 1 },
    { value: 17, samples: 2 },
    { value: 34 / 3, samples: 3 },
  ])
})

test('a statement that exceeds the memory of a read is read in parts', async () => {
  await add(1, { userId: 'u1', createdAt: NOON - 5 * MINUTE }, [{ name: 'search', failed: true, ms: 10 }])
  await add(2, { userId: 'u2' }, [{ name: 'search', ms: 20 }, { name: 'plan' }])
  let refusals = 0
  const engine = {
    ...world.engine,
    async select(sql: string) {
      if (refusals-- > 0) throw Object.assign(new Error('too much'), { clickhouseCode: 241 })
      return world.engine.select(sql)
    },
  }
  measures = new ClickHouseMonitorMeasures({ ...world.dependencies, engine }, INTERVAL)
  const duration = { kind: 'steps', measure: 'duration_ms' } as const
  const queries = [
    over({ forEach: 'user_id' }),
    over({ source: { kind: 'steps', measure: 'error_rate' }, aggregation: 'sum', forEach: 'user_id' }),
    over({ source: duration, aggregation: 'p50', forEach: 'user_id', filters: { ...NO_FILTERS, stepName: 'search' } }),
  ]
  refusals = 4
  const [count, failed, median] = await measured(...queries)
  assert.deepEqual(groupsOf(count), { u1: [1, 1], u2: [2, 2] })
  assert.deepEqual(groupsOf(failed), { u1: [1, 1], u2: [0, 2] })
  assert.deepEqual(groupsOf(median), { u1: [10, 1], u2: [20, 1] })
  // One bucket of one measure is as small as it gets.
  refusals = Infinity
  measures.note({ traces: [traceRecord(idAt('tr', NOON, 2), { createdAt: NOON })] })
  await assert.rejects(measured(...queries), /too much/)
})

test('events are filtered by everything that is known of their trace', async () => {
  const first = await add(1, { userId: 'u1' }, [{ name: 'search' }])
  const second = await add(2, { userId: 'u2' }, [{ name: 'plan' }])
  await world.addMetricEvents(
    [first, second, second].map(({ id }, n) => {
      const value = { kind: 'numeric', number: n + 1 } as const
      return newMetricEvent(metricEventRecord(idAt('mev', NOON, n), { traceId: id, at: NOON, value }))
    }),
  )
  const source = { kind: 'metric', metricId: METRIC } as const
  const sumWith = (filters: Partial<MeasureFilters>) =>
    over({ source, aggregation: 'sum', filters: { ...NO_FILTERS, ...filters } })
  const answers = await measured(sumWith({ userId: 'u2' }), sumWith({ stepName: 'search' }), sumWith({ userId: 'u3' }))
  assert.deepEqual(
    answers.map(({ value }) => value),
    [5, 1, null],
  )
})

test('kept buckets of groups give what a plain computation gives while traces are new, changed and deleted', async () => {
  const shapes = ['a', 'b', 'c']
  const stored = new Map<
    string,
    { readonly trace: TraceRecord; readonly steps: readonly Required<Pick<Shape, 'name' | 'ms'>>[] }
  >()
  const query = { source: { kind: 'steps', measure: 'duration_ms' }, aggregation: 'p95', forEach: 'step_name' } as const
  for (let round = 0; round < 12; round++) {
    const until = NOON + round * INTERVAL
    for (let n = 0; n < 3; n++) {
      const steps = shapes.slice(0, 1 + ((round + n) % 3)).map((name, at) => ({ name, ms: 10 * round + 7 * n + at }))
      const trace = await add(round * 10 + n, { createdAt: until - n * 100 }, steps)
      stored.set(trace.id, { trace, steps })
    }
    if (round % 4 === 3) {
      const [id, { trace }] = [...stored][0]!
      stored.delete(id)
      await world.addTombstone(trace)
      measures.note({ traces: [trace] })
    }
    const window = over(query, until, 5 * INTERVAL)
    const expected = shapes.flatMap((name) => {
      const numbers = [...stored.values()].flatMap(({ trace, steps }) =>
        trace.createdAt > window.from && trace.createdAt <= until
          ? steps.filter((step) => step.name === name).map(({ ms }) => ms)
          : [],
      )
      return numbers.length === 0 ? [] : [[name, [rounded(plainQuantile(numbers, 0.95)), numbers.length]] as const]
    })
    const [kept] = await measured(window)
    assert.deepEqual(groupsOf(kept), Object.fromEntries(expected), `round ${round}`)
    const times = { firstAt: until, stepMs: INTERVAL, count: 1, windowMs: 5 * INTERVAL }
    const [scanned] = await measures.measureOver(PROJECT, { ...QUERY, ...query }, times)
    assert.deepEqual(groupsOf(scanned), groupsOf(kept), `scanned in round ${round}`)
    for (const aggregation of ['avg', 'min', 'max', 'sum'] as const) {
      const [joined] = await measured(over({ ...query, aggregation }, until, 5 * INTERVAL))
      const [whole] = await measures.measureOver(PROJECT, { ...QUERY, ...query, aggregation }, times)
      assert.deepEqual(groupsOf(joined), groupsOf(whole), `${aggregation} in round ${round}`)
    }
  }
})

test('a result has the largest groups, the needed ones with rows, and the samples of all', async () => {
  const traces = Array.from({ length: 250 }, (_, n) => {
    const userId = `u${String(n % 150).padStart(3, '0')}`
    return traceRecord(idAt('tr', NOON, n), { createdAt: NOON, userId })
  })
  await world.addTraces(traces)
  measures.note({ traces })
  const source = { kind: 'traces', measure: 'count' } as const
  const [result] = await measured({ ...over({ source, forEach: 'user_id' }), needed: ['u149', 'u120', 'u002', 'gone'] })
  assert.equal(result?.samples, 250)
  const names = result?.groups?.map(({ group }) => group) ?? []
  assert.deepEqual(
    [names.length, names.slice(0, 2), names.slice(99)],
    [102, ['u000', 'u001'], ['u099', 'u149', 'u120']],
  )
  assert.deepEqual(groupsOf(result)['u149'], [1, 1])
})

test('groups that have left a window are forgotten, and those that stay keep their rows', async () => {
  const steady = { userId: 'steady' }
  let total = 0
  for (let round = 0; round < 6; round++) {
    const createdAt = NOON + round * INTERVAL
    const traces = Array.from({ length: 600 }, (_, n) =>
      traceRecord(idAt('tr', createdAt, n), {
        createdAt,
        ownStartedAt: createdAt,
        ownEndedAt: createdAt + round,
        ...(n < 2 ? steady : { userId: `u${round}-${n}` }),
      }),
    )
    await world.addTraces(traces)
    measures.note({ traces })
    total += 2
    const duration = { source: { kind: 'traces', measure: 'duration_ms' }, forEach: 'user_id' } as const
    const window = [createdAt, Math.min(total, 4) * INTERVAL] as const
    const [longest, median] = await measured(
      over({ ...duration, aggregation: 'max' }, ...window),
      over({ ...duration, aggregation: 'p50' }, createdAt, 2 * INTERVAL),
    )
    assert.deepEqual(groupsOf(longest)['steady'], [round, Math.min(total, 8)])
    assert.deepEqual(groupsOf(median)['steady'], [round === 0 ? 0 : round - 0.5, Math.min(total, 4)])
  }
})
