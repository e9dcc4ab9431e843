import { type ScoredBy, scoredByMetric } from '../../../ports/metrics/scored-by.ts'
import type { MetricId, TraceId } from '@spoor/contract/ids'
import { timeOfId } from '../../../lib/ids/ids.ts'
import { SERIES_CLUSTER_TRACES } from '@spoor/contract/schemas/series-query'
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { DomainError } from '../../../lib/domain-error.ts'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import {
  METRIC,
  metricEventRecord,
  newMetricEvent,
  OTHER_METRIC,
} from '../../../traces/commit/metric-event-builders.test-support.ts'
import type { MetricEventRecord, MetricValue } from '../../../ports/journal/metric-event.ts'
import { durationOf } from '../../../traces/rules/rollup.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import {
  idAt,
  newStep,
  OTHER_PROJECT,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../../traces/trace-builders.test-support.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { ExploredQuery, SeriesGroup } from '../../../ports/traces/explored-series.ts'
import { clusterTraces } from '../../../traces/read/cluster-members.ts'
import { MemoryClusterMembers } from '../../../traces/read/memory-cluster-members.test-support.ts'
import { compareGroups } from './chosen-groups.ts'
import {
  assertNear,
  plainBuckets,
  plainLabel,
  plainPasses,
  plainDistribution,
  plainSum,
} from './aggregate-reference.test-support.ts'
import { aggregateWorld } from './aggregate-world.test-support.ts'
import { ClickHouseExploredSeries } from './clickhouse-explored-series.ts'
import { exploredQuery, pointsOf, ratesOf } from './explored-query.test-support.ts'
import { SeriesCache } from './series-cache.ts'
import { times } from '../../../lib/times.test-support.ts'

const world = await aggregateWorld()
const store = new ClickHouseExploredSeries(world.dependencies, new SeriesCache(0))
afterEach(() => world.clear())

// The clocks of Los Angeles change in the second of these three days.
const BEGIN = Date.UTC(2025, 9, 31, 22)
const ZONE = 'America/Los_Angeles'
const HOUR = 3_600_000
const CLUSTER = idAt('clu', 1, 1)
/** Dollars for a million tokens of each kind; `free-form` has no price. */
const PRICE = { input: 2000, output: 8000, cacheRead: 1000 }
const RATES = await ratesOf({ gpt: PRICE, 'o"3': PRICE, other: PRICE })

function query({
  bucket: asked = '1h',
  ...fields
}: Partial<Parameters<typeof exploredQuery>[0]> & { bucket?: string } = {}) {
  const [bucket, zone = null] = asked.split(' ') as [string, string?]
  const bucketed = toBucketedSpan({ startTime: BEGIN, endTime: BEGIN + 72 * HOUR, bucket, zone }, 0)
  return exploredQuery({ ...bucketed, rates: fields.measure === 'cost_usd' ? RATES : null, ...fields })
}

const read = async (asked: ExploredQuery) => pointsOf(await store.exploredSeries(asked))
const hoursOf = async (asked: ExploredQuery) => (await read(asked)).map(({ at }) => (at - BEGIN) / HOUR)

const MODELS = ['gpt', 'o"3', 'free-form']

interface StepFields {
  readonly model: string | null
  readonly input: number
  readonly cacheRead: number
  readonly output: number
}

const steps = fc.record({
  model: fc.constantFrom(null, ...MODELS),
  input: fc.integer({ min: 0, max: 5000 }),
  cacheRead: fc.integer({ min: 0, max: 100 }),
  output: fc.integer({ min: 0, max: 3000 }),
})
const versions = fc.record({
  status: fc.constantFrom('ok' as const, 'error' as const),
  failedSteps: fc.nat(3),
  flagged: fc.boolean(),
  durationMs: fc.option(fc.integer({ min: 0, max: 1e9 })),
  deleted: fc.constantFrom(false, false, false, true),
})
const traceFields = fc.record({
  at: fc.integer({ min: BEGIN - HOUR, max: BEGIN + 74 * HOUR }),
  runType: fc.constantFrom('agent', 'eval'),
  name: fc.constantFrom('flow', "it's", 'n'.repeat(200)),
  sessionId: fc.constantFrom(null, 's'),
  errorTypes: fc.constantFrom([], ['E', "it's"]),
  metadata: fc.dictionary(fc.constantFrom('env', 'k'), fc.constantFrom<unknown>('prod', '1', 1, null)),
  steps: fc.array(steps, { maxLength: 4 }),
  versions: fc.array(versions, { minLength: 1, maxLength: 3 }),
})

type TraceFields = typeof traceFields extends fc.Arbitrary<infer Fields> ? Fields : never

interface Plain {
  readonly record: TraceRecord
  readonly steps: readonly StepFields[]
}

function usageOf(used: readonly StepFields[]) {
  return [...Map.groupBy(used, ({ model }) => model)].flatMap(([model, ofModel]) => {
    const sum = (of: (step: StepFields) => number) => plainSum(ofModel.map(of))
    const input = sum((step) => Math.max(step.input, step.cacheRead))
    const tokens = {
      input,
      output: sum(({ output }) => output),
      cacheRead: sum(({ cacheRead }) => cacheRead),
      cacheWrite: 0,
    }
    return model === null ? [] : [{ model, tokens }]
  })
}

/** Every version of a trace, oldest first. */
function toVersions(fields: TraceFields, number: number): readonly Plain[] {
  return fields.versions.map((version, at) => ({
    steps: fields.steps,
    record: traceRecord(idAt('tr', fields.at, number), {
      createdAt: fields.at,
      version: at + 1,
      runType: fields.runType,
      name: fields.name,
      sessionId: fields.sessionId,
      digest: { ...EMPTY_DIGEST, errorTypes: fields.errorTypes, usage: usageOf(fields.steps) },
      metadata: Buffer.from(JSON.stringify(fields.metadata)),
      models: [...new Set(fields.steps.flatMap(({ model }) => model ?? []))].sort(),
      stepCount: fields.steps.length,
      tokenUsage: {
        input: plainSum(fields.steps.map(({ input }) => input)),
        output: plainSum(fields.steps.map(({ output }) => output)),
        cacheRead: plainSum(fields.steps.map(({ cacheRead }) => cacheRead)),
        cacheWrite: 0,
        reasoning: 0,
      },
      status: version.status,
      flagged: version.flagged,
      ownStartedAt: version.durationMs === null ? null : 0,
      ownEndedAt: version.durationMs,
      deleted: version.deleted,
    }),
  }))
}

function groupsOf(groupBy: SeriesGroup | null): (trace: Plain) => readonly (string | null)[] {
  return ({ record }) => {
    switch (groupBy?.by) {
      case undefined:
        return [null]
      case 'run_type':
        return [record.runType]
      case 'status':
        return [record.status]
      case 'name':
        return [record.name]
      case 'model':
        return record.models.length === 0 ? [null] : record.models
      case 'metadata': {
        const metadata = JSON.parse(record.metadata.toString()) as Record<string, unknown>
        return [Object.hasOwn(metadata, groupBy.key) ? plainLabel(metadata[groupBy.key]) : null]
      }
      default:
        throw new Error(`no group ${groupBy?.by}`)
    }
  }
}

type Measured = (typeof MEASURED)[number]

/** What a point has beside its place. */
function plainValue(measure: Measured, traces: readonly Plain[], ofModel: string | null) {
  const count = traces.length
  const distributed = (numbers: readonly number[]) => {
    const distribution = plainDistribution('traces', numbers)
    const sum = plainSum(numbers)
    return { count, value: measure === 'duration_ms' ? distribution.p50 : sum, sum, distribution }
  }
  const summed = (sum: number) => ({ count, value: sum, sum })
  switch (measure) {
    case 'count':
      return { count, value: count }
    case 'error_rate': {
      const errors = traces.filter(({ record }) => record.status === 'error').length
      return { count, value: errors / count, errors }
    }
    case 'recovered_errors': {
      const recovered = traces.filter(({ record }) => record.status === 'ok')
      return summed(plainSum(recovered.map(({ record }) => record.failedSteps)))
    }
    case 'duration_ms':
      return distributed(traces.map(({ record }) => durationOf(record) as number))
    case 'total_tokens':
      return distributed(traces.map(({ record }) => record.tokenUsage.input + record.tokenUsage.output))
    case 'cost_usd': {
      const used = traces.flatMap((trace) => trace.steps).filter(({ model }) => ofModel === null || model === ofModel)
      return summed(plainSum(used.map(costOf)))
    }
  }
}

/** US dollars. */
function costOf({ model, input, cacheRead, output }: StepFields): number {
  if (model === null || model === 'free-form') return 0
  return (Math.max(0, input - cacheRead) * PRICE.input + cacheRead * PRICE.cacheRead + output * PRICE.output) / 1e6
}

const MEASURED = ['count', 'error_rate', 'recovered_errors', 'duration_ms', 'total_tokens', 'cost_usd'] as const

test('every measure equals a plain computation over the latest versions, for any bucket, group and filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(traceFields, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(...MEASURED),
      fc.constantFrom('13m', '1h', '1d', '2w', `1d ${ZONE}`),
      fc.constantFrom<SeriesGroup | null>(
        null,
        { by: 'run_type' },
        { by: 'model' },
        { by: 'status' },
        { by: 'metadata', key: 'env' },
      ),
      fc.record({
        status: fc.constantFrom(null, null, 'error' as const),
        flagged: fc.constantFrom(null, null, true, false),
        runType: fc.constantFrom(null, null, 'agent', ['agent', 'none']),
        notRunType: fc.constantFrom(null, null, 'agent'),
        model: fc.constantFrom(null, null, 'gpt', ['gpt', 'o"3']),
        notModel: fc.constantFrom(null, null, 'gpt', ['gpt', 'o"3']),
        errorType: fc.constantFrom(null, null, "it's", ["it's", 'E']),
        notErrorType: fc.constantFrom(null, null, "it's", ["it's", 'E']),
        name: fc.constantFrom(null, null, "it's", ["it's", 'n'.repeat(200)]),
        notName: fc.constantFrom(null, null, "it's", ["it's", 'n'.repeat(200)]),
        sessionId: fc.constantFrom(null, null, 's', ['s', 't']),
        metadata: fc.constantFrom<ExploredQuery['filters']['metadata']>([], [], [{ key: 'env', value: 'prod' }]),
      }),
      fc.boolean(),
      fc.constantFrom(1, 1, 2, 31),
      async (fields, measure, bucket, groupBy, someFilters, merged, clusterEach) => {
        await world.clear()
        const traces = fields.map(toVersions)
        const stored = traces.flatMap(([first]) =>
          first!.steps.map(({ model, ...tokens }, position) =>
            newStep(first!.record, position, {
              prepared: preparedStep({ model, tokenUsage: { ...tokens, cacheWrite: 0, reasoning: 0, more: null } }),
            }),
          ),
        )
        // Each version is in a part of its own, newest first: results must not depend on the order of arrival.
        for (const version of [2, 1, 0]) {
          const part = traces.flatMap((of) => of[version]?.record ?? [])
          if (part.length > 0) await world.addTraces(part, version === 0 ? stored : [])
        }
        if (merged) for (const table of ['traces', 'steps']) await world.engine.command(`OPTIMIZE TABLE ${table} FINAL`)
        const clustered = traces.filter((_, at) => at % clusterEach === clusterEach - 1)
        const among = clusterEach === 1 ? null : clustered.map(([first]) => first!.record.id)
        // No traces are another question.
        if (among?.length === 0) return
        const asked = query({
          measure,
          bucket,
          groupBy: groupBy === null ? [] : [groupBy],
          filters: someFilters,
          among,
        })
        const { filters } = asked
        const counted = clustered
          .map((of) => of.at(-1)!)
          .filter(({ record }) => {
            const metadata = JSON.parse(record.metadata.toString()) as Record<string, unknown>
            return (
              !record.deleted &&
              record.createdAt >= asked.span.startTime &&
              record.createdAt < asked.span.endTime &&
              (filters.status === null || record.status === filters.status) &&
              (filters.flagged === null || record.flagged === filters.flagged) &&
              plainPasses(filters.runType, filters.notRunType, [record.runType]) &&
              plainPasses(filters.model, filters.notModel, record.models) &&
              plainPasses(filters.errorType, filters.notErrorType, record.digest.errorTypes) &&
              plainPasses(filters.name, filters.notName, [record.name]) &&
              plainPasses(filters.sessionId, filters.notSessionId, [record.sessionId]) &&
              filters.metadata.every(({ key, value }) => metadata[key] === value) &&
              (measure !== 'duration_ms' || durationOf(record) !== null)
            )
          })
        const expected = plainBuckets(counted, ({ record }) => record.createdAt, asked.buckets, groupsOf(groupBy)).map(
          ({ at, group, rows }) => ({
            at,
            group,
            value: plainValue(measure, rows, groupBy?.by === 'model' ? (group ?? '') : null),
          }),
        )
        const found = await store.exploredSeries(asked)
        const points = found.points.map(({ at, values: [group = null], now }) => ({ at, group, value: now }))
        assertNear(
          points.toSorted((a, b) => a.at - b.at || compareGroups(a, b)),
          expected,
        )
        for (const { values, now } of found.groups) {
          const ofGroup = counted.filter((trace) => groupsOf(groupBy)(trace).includes(values[0] ?? null))
          if (ofGroup.length === 0) continue
          const whole = plainValue(measure, ofGroup, groupBy?.by === 'model' ? (values[0] ?? '') : null)
          assertNear({ count: now.count, value: now.value }, { count: whole.count, value: whole.value })
        }
        const used = counted.flatMap((trace) => trace.steps.map(({ model }) => model))
        const unpriced = measure === 'cost_usd' && used.includes('free-form') ? ['free-form'] : []
        assert.deepEqual(found.unpricedModels, unpriced)
      },
    ),
    { numRuns: times(15) },
  )
})

test('traces are grouped by name, however long', async () => {
  const names = ['flow', 'flow', 'n'.repeat(200)]
  await world.addTraces(names.map((name, n) => traceRecord(idAt('tr', BEGIN, n), { createdAt: BEGIN, name })))
  const points = await read(query({ groupBy: [{ by: 'name' }] }))
  assert.deepEqual(
    points.map(({ group, count }) => [group, count]),
    [
      ['flow', 2],
      ['n'.repeat(200), 1],
    ],
  )
})

test('words match names and the text of single steps, also for costs', async () => {
  const names = ['refund please', 'other', 'refund', 'none']
  const tokens = { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 }
  const traces = names.map((name, n) =>
    traceRecord(idAt('tr', BEGIN + n * HOUR, n), {
      createdAt: BEGIN + n * HOUR,
      name,
      digest: { ...EMPTY_DIGEST, usage: n === 1 || n === 2 ? [{ model: 'gpt', tokens }] : [] },
    }),
  )
  const ofStep = (trace: TraceRecord, position: number, text: string) =>
    newStep(trace, position, { prepared: preparedStep({ texts: [text] }) })
  const [, second, third] = traces as [TraceRecord, TraceRecord, TraceRecord]
  await world.addTraces(traces, [ofStep(second, 0, 'a refund they said please'), ofStep(third, 0, 'please')])
  const countsOf = (words: readonly string[]) => hoursOf(query({ words }))
  assert.deepEqual(await countsOf(['refund', 'please']), [0, 1])
  assert.deepEqual(await countsOf(['refund']), [0, 1, 2])
  assert.deepEqual(await countsOf(['nothing']), [])
  const points = await read(query({ words: ['please'], measure: 'cost_usd' }))
  assert.deepEqual(
    points.map(({ value }) => value),
    [0, 2, 2],
  )
})

test('costs of many rows are those of each: also where less input than cached has a rate, and by models that are listed', async () => {
  const used = (input: number, cacheRead: number) => ({ input, output: 0, cacheRead, cacheWrite: 0 })
  const uses = [
    { models: ['gpt'], usage: [{ model: 'gpt', tokens: used(500, 900) }] },
    {
      models: ['gpt'],
      usage: [
        { model: 'gpt', tokens: used(1000, 0) },
        { model: '\nsent', tokens: used(5e9, 0) },
      ],
    },
    { models: [], usage: [] },
  ]
  const traces = uses.map(({ models, usage }, n) =>
    traceRecord(idAt('tr', BEGIN, n), { createdAt: BEGIN, models, digest: { ...EMPTY_DIGEST, usage } }),
  )
  await world.addTraces(traces)
  const [whole] = await read(query({ measure: 'cost_usd' }))
  const [mean] = await read(query({ measure: 'cost_usd', stat: 'mean' }))
  assert.equal(whole!.value, 0.9 + 2 + 5)
  assertNear({ value: mean!.value! * mean!.count }, { value: whole!.value })
  for (const limit of [100, 1]) {
    const { points } = await store.exploredSeries(query({ measure: 'cost_usd', groupBy: [{ by: 'model' }], limit }))
    assert.deepEqual(
      points.map(({ values, other, now }) => [values[0], other, now.count, now.value]),
      limit === 1
        ? [
            ['gpt', false, 2, 2.9],
            [undefined, true, 1, 0],
          ]
        : [
            ['gpt', false, 2, 2.9],
            [null, false, 1, 0],
          ],
    )
  }
})

test('bounds of the cost are those of the list, at the prices of the project', async () => {
  const tokens = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }
  const usages = [[{ model: 'gpt-4o', tokens }], [{ model: 'o3', tokens }], [{ model: 'free-form', tokens }], []]
  const traces = usages.map((usage, n) =>
    traceRecord(idAt('tr', BEGIN + n * HOUR, n), { createdAt: BEGIN + n * HOUR, digest: { ...EMPTY_DIGEST, usage } }),
  )
  await world.addTraces(traces)
  const rates = await ratesOf({})
  assert.deepEqual(await hoursOf(query({ filters: { minCostUsd: 2 }, rates })), [0, 1])
  assert.deepEqual(await hoursOf(query({ filters: { minCostUsd: 2.1 }, rates })), [0])
  assert.deepEqual(await hoursOf(query({ filters: { maxCostUsd: 2.4 }, measure: 'cost_usd', rates })), [1])
})

test('the cost of a trace that was replaced counts once, before the engine has merged it', async () => {
  const using = (model: string, input: number) => ({
    digest: { ...EMPTY_DIGEST, usage: [{ model, tokens: { input, output: 0, cacheRead: 0, cacheWrite: 0 } }] },
  })
  await world.engine.command('SYSTEM STOP MERGES traces')
  try {
    const trace = traceRecord(idAt('tr', BEGIN), { createdAt: BEGIN, ...using('gpt', 1000) })
    await world.addTraces([trace])
    await world.addTraces([{ ...trace, version: 2, ...using('other', 4000) }])
    const points = await read(query({ measure: 'cost_usd' }))
    assert.deepEqual(
      points.map(({ value }) => value),
      [8],
    )
  } finally {
    await world.engine.command('SYSTEM START MERGES traces')
  }
})

test('a cluster is counted up to its size limit, and refused beyond it', async () => {
  const most = Array.from({ length: SERIES_CLUSTER_TRACES }, (_, n) => idAt('tr', BEGIN + n, 1))
  const traces = [0, 77_777, SERIES_CLUSTER_TRACES - 1, SERIES_CLUSTER_TRACES].map((after) =>
    traceRecord(idAt('tr', BEGIN + after, 1), { createdAt: BEGIN + after }),
  )
  await world.addTraces(traces)
  const span = { startTime: BEGIN, endTime: BEGIN + 72 * HOUR }
  const clusters = new MemoryClusterMembers()
  const found = { clusters, idLeadMs: world.dependencies.idLeadMs, breathe: async () => undefined }
  const countOf = async (members: readonly TraceId[]) => {
    clusters.put(PROJECT, CLUSTER, members)
    const among = await clusterTraces(found, PROJECT, CLUSTER, span)
    return plainSum((await read(query({ among, groupBy: [{ by: 'status' }] }))).map(({ count }) => count))
  }
  assert.equal(await countOf(most), 3)
  await assert.rejects(countOf([...most, idAt('tr', BEGIN + 1e6, 1)]), (error) => {
    assert.ok(error instanceof DomainError)
    assert.deepEqual([error.errors[0]?.pointer, error.errors[0]?.code], ['?cluster', 'too_many'])
    return true
  })
})

test('a span that needs more memory than a read has is read in halves, and adds up', async () => {
  const usage = [{ model: 'gpt', tokens: { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 } }]
  const traces = Array.from({ length: 40 }, (_, n) =>
    traceRecord(idAt('tr', BEGIN + n * HOUR, n), {
      createdAt: BEGIN + n * HOUR,
      runType: n % 3 === 0 ? 'agent' : 'eval',
      digest: { ...EMPTY_DIGEST, usage },
    }),
  )
  await world.addTraces(traces)
  const idOf = (sql: string, bound: RegExp) => timeOfId(bound.exec(sql)![1] as TraceId)
  let reads = 0
  const small = new ClickHouseExploredSeries(
    {
      ...world.dependencies,
      engine: {
        ...world.engine,
        select: (sql) => {
          const hours = (idOf(sql, /id < '(\w+)'/) - idOf(sql, /id >= '(\w+)'/)) / HOUR
          const isTooMuch = sql.includes('FINAL') && hours > Number(sql.includes('ARRAY JOIN') ? 5 : 9)
          if (isTooMuch) return Promise.reject(Object.assign(new Error('memory'), { clickhouseCode: 241 }))
          reads++
          return world.engine.select(sql)
        },
      },
    },
    new SeriesCache(0),
  )
  for (const groupBy of [[], [{ by: 'run_type' } as const]]) {
    for (const measure of ['count', 'error_rate', 'cost_usd'] as const) {
      for (const bucket of ['1h', 'all'] as const) {
        const asked = query({ groupBy, measure, bucket })
        assert.deepEqual(await small.exploredSeries(asked), await store.exploredSeries(asked))
      }
    }
  }
  assert.ok(reads > 90, `${reads} reads`)
  await assert.rejects(small.exploredSeries(query({ measure: 'duration_ms', stat: 'mean', bucket: 'all' })), /memory/)
  // The halves have fewer groups than an answer may have, the whole has more: it needs all rows at once.
  const named = Array.from({ length: 130 }, (_, n) => {
    const createdAt = BEGIN + (n < 60 ? 0 : 60) * HOUR
    return traceRecord(idAt('tr', createdAt, 100 + n), { createdAt, name: `name ${n}` })
  })
  await world.addTraces(named)
  await assert.rejects(small.exploredSeries(query({ groupBy: [{ by: 'name' }] })), /memory/)
})

test('another project sees none of it', async () => {
  await world.addTraces([traceRecord(idAt('tr', BEGIN), { createdAt: BEGIN })])
  for (const measure of ['count', 'cost_usd'] as const) {
    const found = await store.exploredSeries(query({ projectId: OTHER_PROJECT, measure }))
    assert.deepEqual([found.points, found.groupsLeftOut, found.unpricedModels], [[], 0, []])
  }
})

test('a query waits until everything committed before it has settled', async () => {
  await read(query())
  await read(query({ measure: 'cost_usd' }))
  assert.deepEqual(world.waits, ['settled', 'settled'])
})

test('traces with an event of the metric are left out, whatever other metrics and projects have', async () => {
  const traces = [0, 1, 2, 3].map((hour) => {
    const createdAt = BEGIN + hour * HOUR
    return traceRecord(idAt('tr', createdAt, 1), { createdAt })
  })
  await world.addTraces(traces)
  const event = (number: number, of: TraceRecord, fields: Partial<MetricEventRecord> = {}) =>
    newMetricEvent(metricEventRecord(idAt('mev', BEGIN, number), { traceId: of.id, ...fields }))
  await world.addMetricEvents([
    event(1, traces[0]!),
    event(2, traces[1]!, { stepId: idAt('st', BEGIN, 1) }),
    event(3, traces[2]!, { metricId: OTHER_METRIC }),
    event(4, traces[3]!, { projectId: OTHER_PROJECT }),
  ])
  const countWithout = (withoutMetric: MetricId | null) => hoursOf(query({ withoutMetric }))
  assert.deepEqual(await countWithout(METRIC), [2, 3])
  assert.deepEqual(await countWithout(OTHER_METRIC), [0, 1, 3])
  assert.deepEqual(await countWithout(null), [0, 1, 2, 3])
})

test('traces with an event of a value are found, by the value of the same event', async () => {
  const traces = [0, 1, 2, 3].map((hour) => {
    const createdAt = BEGIN + hour * HOUR
    return traceRecord(idAt('tr', createdAt, 1), { createdAt })
  })
  await world.addTraces(traces)
  const event = (number: number, of: number, value: MetricValue, metricId = METRIC) =>
    newMetricEvent(
      metricEventRecord(idAt('mev', BEGIN, number), { traceId: traces[of]!.id, value, metricId, at: BEGIN + number }),
    )
  await world.addMetricEvents([
    event(1, 0, { kind: 'boolean', passed: true }),
    event(2, 1, { kind: 'boolean', passed: false }),
    event(3, 1, { kind: 'numeric', number: 1 }, OTHER_METRIC),
    event(4, 2, { kind: 'numeric', number: -0.25 }, OTHER_METRIC),
    event(5, 2, { kind: 'numeric', number: 7 }, OTHER_METRIC),
    event(6, 3, { kind: 'enum', option: "it's \\ 1" }),
  ])
  const hoursWith = async (by: Partial<ScoredBy>) => {
    return hoursOf(query({ scored: { ...scoredByMetric(METRIC), metricId: null, ...by } }))
  }
  assert.deepEqual(await hoursWith({ metricId: METRIC }), [0, 1, 3])
  assert.deepEqual(await hoursWith({ passed: true }), [0])
  assert.deepEqual(await hoursWith({ metricId: METRIC, passed: false }), [1])
  assert.deepEqual(await hoursWith({ metricId: OTHER_METRIC, passed: false }), [])
  assert.deepEqual(await hoursWith({ min: 1 }), [1, 2])
  assert.deepEqual(await hoursWith({ max: -0.25 }), [2])
  assert.deepEqual(await hoursWith({ min: 0, max: 6 }), [1])
  assert.deepEqual(await hoursWith({ option: "it's \\ 1" }), [3])
  assert.deepEqual(await hoursWith({ option: '1' }), [])
  assert.deepEqual(await hoursWith({ startTime: BEGIN + 2, endTime: BEGIN + 4 }), [1])
  assert.deepEqual(await hoursWith({ startTime: BEGIN + 4, max: 0 }), [2])
})
