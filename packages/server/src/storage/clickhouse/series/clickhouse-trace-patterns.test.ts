import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { greatestId } from '../../../lib/ids/ids.ts'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import fc from 'fast-check'
import type { FeatureQuery } from '../../../ports/traces/trace-patterns.ts'
import type { NewStep } from '../../../ports/traces/trace-store.ts'
import { argumentTerms } from '../../../traces/rules/argument-terms.ts'
import { NO_CALLS_YET } from '../../../traces/rules/run-calls.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, newStep, OTHER_PROJECT, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, EVERY_TRACE } from './aggregate-world.test-support.ts'
import { ClickHouseTracePatterns } from './clickhouse-trace-patterns.ts'
import { times } from '../../../lib/times.test-support.ts'

const world = await aggregateWorld()
afterEach(() => world.clear())

const NOON = Date.UTC(2026, 1, 27, 12)
const METRIC = idAt('met', 1)
const ALL: FeatureQuery = {
  ...EVERY_TRACE,
  throughId: greatestId('tr'),
  failure: { kind: 'status' },
  failures: null,
  within: [],
  least: 1,
}
const repeated = { tool: 'a', times: 3, gap: 1, cycleAt: null, tokens: 0, usage: [] }
const LOOP = { ...NO_CALLS_YET, seen: [{ key: 'k', last: 3, at: [0, 1, 2], repeated }] }
const LONG = 'x'.repeat(200)

const texts = fc.constantFrom('a', "it's", '\\', 'ü 🦊', '1', 'x y')
const steps = fc.record({
  tools: fc.uniqueArray(texts, { maxLength: 2 }),
  input: fc.dictionary(
    fc.constantFrom('city', 'n', LONG),
    fc.constantFrom<unknown>('Oslo', 7, true, LONG, ['p', 'q'], ''),
  ),
  failed: fc.boolean(),
})
const traces = fc.record({
  status: fc.constantFrom('ok', 'error'),
  passed: fc.option(fc.boolean()),
  models: fc.uniqueArray(texts, { maxLength: 2 }),
  errorTypes: fc.uniqueArray(texts, { maxLength: 2 }),
  isLoop: fc.boolean(),
  metadata: fc.dictionary(
    fc.constantFrom('env', 'tags', LONG),
    fc.constantFrom<unknown>('prod', '1', 1, null, ['a', 'b'], LONG, ''),
  ),
  steps: fc.array(steps, { maxLength: 4 }),
  isDeleted: fc.constantFrom(false, false, false, true),
})

const MEASURES = {
  status: { kind: 'status' },
  metric: { kind: 'metric', id: METRIC },
  metadata: { kind: 'metadata', key: 'env', value: 'prod' },
} as const satisfies Record<string, FeatureQuery['failure']>
type By = keyof typeof MEASURES

test('features equal a plain count over the latest versions, whichever measure says what failed', async () => {
  const measures = fc.constantFrom(...(Object.keys(MEASURES) as By[]))
  await fc.assert(
    fc.asyncProperty(fc.array(traces, { maxLength: 8 }), measures, fc.boolean(), async (all, by, onlyEven) => {
      await world.clear()
      await writeAll(all)
      await world.addTraces([traceRecord(idAt('tr', NOON), { projectId: OTHER_PROJECT, status: 'error' })])
      const store = new ClickHouseTracePatterns(world.dependencies)
      const { features, ...counted } = await store.countFeatures({
        ...ALL,
        failure: MEASURES[by],
        failures: onlyEven ? [0, 2, 4, 6].map((at) => idAt('tr', NOON, at)) : null,
      })
      const found = features.map(({ kind, name, value, failed, succeeded }) => {
        return [JSON.stringify([kind, name, value]), [failed, succeeded]] as const
      })
      const { sides, expected } = plainCount(
        onlyEven ? all.filter((one, at) => at % 2 === 0 || verdict(one, by) !== true) : all,
        by,
      )
      assert.deepEqual(counted, { ...sides, complete: true })
      assert.deepEqual(new Map(found), expected)
    }),
    { numRuns: times(10) },
  )
})

test('traces must pass further filters, whose times and names are their own', async () => {
  const records = [1, 2, 3, 4].map((number) => {
    const name = number === 3 ? 'other' : 'run'
    return traceRecord(idAt('tr', NOON + number, number), {
      createdAt: NOON + number,
      status: number === 1 ? 'error' : 'ok',
      name,
    })
  })
  await world.addTraces(records)
  const store = new ClickHouseTracePatterns(world.dependencies)
  const named = { ...ALL, filters: { ...toTraceFilters('lists', { name: 'run' }), metadata: [] } }
  const counted = async (query: Partial<FeatureQuery>) => {
    const { failed, succeeded } = await store.countFeatures({ ...ALL, failures: [records[0]!.id], ...query })
    return [failed, succeeded]
  }
  assert.deepEqual(await counted({ within: [named] }), [1, 2])
  assert.deepEqual(await counted({ within: [named, { ...ALL, endTime: NOON + 4 }] }), [1, 1])
  assert.deepEqual(await counted({ within: [{ ...named, startTime: NOON + 2 }] }), [0, 2])
})

type One = Parameters<Parameters<typeof traces.map>[0]>[0]

async function writeAll(all: readonly One[]): Promise<void> {
  if (all.length === 0) return
  const ids = all.map((_, number) => idAt('tr', NOON, number))
  await world.addTraces(ids.map((id) => traceRecord(id, { createdAt: NOON, status: 'error', models: ['old'] })))
  const records = all.map((one, number) =>
    traceRecord(ids[number]!, {
      createdAt: NOON,
      metadata: Buffer.from(JSON.stringify(one.metadata)),
      stepCount: one.steps.length,
      digest: { ...EMPTY_DIGEST, errorTypes: one.errorTypes, calls: one.isLoop ? LOOP : EMPTY_DIGEST.calls },
      status: one.status as 'ok' | 'error',
      models: one.models,
      version: 2,
      deleted: one.isDeleted,
    }),
  )
  const written = all.flatMap((one, number) =>
    one.steps.map(({ tools, input, failed }, position): NewStep => {
      const calls = { tools, arguments: argumentTerms(tools.length === 0 ? [] : [{ name: tools[0]!, input }]) }
      return newStep(records[number]!, position, { prepared: preparedStep({ calls, status: failed ? 'error' : 'ok' }) })
    }),
  )
  await world.addTraces(records, written)
  const point = { metricId: METRIC, option: '', source: '', runType: '', models: [], metadata: {} } as const
  // The latest event counts.
  const points = all.flatMap(({ passed }, number) =>
    passed === null
      ? []
      : [Number(!passed), Number(passed)].map((value, at) => {
          const traceId = ids[number]!
          return Object.assign({ traceId, at: NOON + at, id: `${traceId}${at}`, value }, point)
        }),
  )
  await world.addPoints(points)
}

/** How many failed and other traces have each feature; nothing if all are on one side. */
function plainCount(all: readonly One[], by: By) {
  const expected = new Map<string, number[]>()
  const sides = { failed: 0, succeeded: 0 }
  const lengths = lengthsOf(all, by)
  for (const one of all) {
    const failed = verdict(one, by)
    if (one.isDeleted || failed === null) continue
    sides[failed ? 'failed' : 'succeeded'] += 1
    for (const key of featuresOf(one, lengths)) {
      const counts = expected.get(key) ?? [0, 0]
      counts[failed ? 0 : 1]! += 1
      expected.set(key, counts)
    }
  }
  return { sides, expected: sides.failed === 0 || sides.succeeded === 0 ? new Map() : expected }
}

function verdict({ status, passed, metadata }: One, by: By): boolean | null {
  if (by === 'metric') return passed === null ? null : !passed
  return by === 'status' ? status === 'error' : metadata['env'] === 'prod'
}

function lengthsOf(all: readonly One[], by: By): readonly number[] {
  const counted = all.filter((one) => !one.isDeleted && verdict(one, by) !== null)
  const sorted = counted.map((one) => one.steps.length).sort((one, other) => one - other)
  return sorted.length === 0 ? [] : [0.5, 0.75, 0.9].map((share) => sorted[Math.floor(share * sorted.length)]!)
}

function featuresOf(
  { models, errorTypes, isLoop, metadata, steps: all }: One,
  lengths: readonly number[],
): ReadonlySet<string> {
  const features: (readonly [kind: string, name: string, value: string | null])[] = [
    ...models.map((model) => ['model', model, null] as const),
    ...(isLoop ? [['finding', 'repeated_call', null] as const] : []),
    ...errorTypes.map((type) => ['error_type', type, null] as const),
    ...lengths.filter((length) => all.length >= length).map((length) => ['steps', '', String(length)] as const),
  ]
  const isPlain = (value: unknown) => value !== LONG
  const labelOf = (value: unknown) =>
    value === '1' ? '"1"' : typeof value === 'string' ? value : JSON.stringify(value)
  for (const [key, value] of Object.entries(metadata).filter(([name, given]) => isPlain(name) && isPlain(given))) {
    features.push(['metadata', key, labelOf(value)])
    if (Array.isArray(value)) for (const element of value) features.push(['metadata', key, labelOf(element)])
  }
  const called = all.flatMap(({ tools }) => tools)
  const run = called.filter((tool, at) => tool !== called[at - 1])
  for (const [at, tool] of run.entries()) {
    features.push(['tool', tool, null])
    if (at > 0) features.push(['tool_pair', run[at - 1]!, tool])
  }
  for (const { tools, input, failed } of all) {
    if (failed) for (const tool of tools) features.push(['failed_tool', tool, null])
    if (tools.length === 0) continue
    for (const [path, value] of Object.entries(input).filter(([name]) => isPlain(name)))
      for (const element of Array.isArray(value) ? value : [value])
        if (isPlain(element)) features.push(['argument', path, String(element)])
  }
  return new Set(features.map((feature) => JSON.stringify(feature)))
}
