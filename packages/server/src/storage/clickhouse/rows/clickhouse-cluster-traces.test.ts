import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { MetricId, TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { StepRow } from '../../../ports/clusters/cluster-traces.ts'
import { scoredByMetric } from '../../../ports/metrics/scored-by.ts'
import { testClusterTraces } from '../../../ports/clusters/cluster-traces.conformance.ts'
import { greatestId, idAtTime } from '../../../lib/ids/ids.ts'
import { idAt, newStep, preparedStep, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { metricEventRecord, newMetricEvent } from '../../../traces/commit/metric-event-builders.test-support.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseClusterTraces } from './clickhouse-cluster-traces.ts'

const world = await aggregateWorld()
const traces = new ClickHouseClusterTraces(world.dependencies)
afterEach(() => world.clear())

const BEGIN = Date.UTC(2026, 1, 27, 22)
const DAY = 24 * 3_600_000
const id = (number: number): TraceId => idAt('tr', BEGIN, number)
const record = (traceId: TraceId, fields: Partial<TraceRecord> = {}) =>
  traceRecord(traceId, { createdAt: BEGIN, ...fields })
const body = (value: unknown) => Buffer.from(JSON.stringify(value))

function step(traceId: TraceId, position: number, fields: Parameters<typeof preparedStep>[0]) {
  return newStep(record(traceId), position, { prepared: preparedStep(fields) })
}

async function stepsOf(ids: readonly TraceId[], answers = false): Promise<(readonly StepRow[])[]> {
  const parts: (readonly StepRow[])[] = []
  for await (const part of traces.steps(PROJECT, ids, answers)) parts.push(part)
  return parts
}

testClusterTraces(async () => ({
  traces,
  commit: (committed) =>
    world.addTraces(
      committed.map(({ id: traceId, failed, steps: _steps, metadata = {}, ...fields }) =>
        record(traceId, { name: '', ...fields, metadata: body(metadata), status: failed ? 'error' : 'ok' }),
      ),
      committed.flatMap(({ id: traceId, projectId, steps }) =>
        steps.map(([, name, type, status, text], position) =>
          newStep(record(traceId, { projectId }), position, {
            prepared: preparedStep({ name, type: type as 'llm', status, body: Buffer.from(text) }),
          }),
        ),
      ),
    ),
  score: (scores) =>
    world.addMetricEvents(
      scores.map(({ number, projectId, traceId, metricId, at, passed }) =>
        newMetricEvent(
          metricEventRecord(idAt('mev', BEGIN, number), {
            projectId,
            traceId,
            metricId,
            at,
            value: { kind: 'boolean', passed },
          }),
        ),
      ),
    ),
}))

test('a list waits until earlier commits have settled', async () => {
  const before = world.waits.length
  await traces.list({
    projectId: PROJECT,
    lowestId: id(1),
    highestId: greatestId('tr'),
    createdFrom: 0,
    order: 'asc',
    limit: 1,
  })
  assert.equal(world.waits.length, before + 1)
})

test('lists by creation where ids are ahead of it, and finds the steps of such traces', async () => {
  world.allowLead(DAY)
  const at = (number: number, createdAt: number) => record(id(number), { version: number, createdAt })
  const stored = [at(1, BEGIN - DAY), at(2, BEGIN - DAY / 2), at(3, BEGIN)]
  await world.addTraces(stored, [newStep(stored[0]!, 0, { prepared: preparedStep({ type: 'llm' }) })])
  const query = { projectId: PROJECT, lowestId: id(1), highestId: greatestId('tr'), order: 'asc', limit: 10 } as const
  const listed = async (createdFrom: number) => (await traces.list({ ...query, createdFrom })).map((one) => one.id)
  assert.deepEqual(await listed(0), [id(1), id(2), id(3)])
  assert.deepEqual(await listed(BEGIN - DAY + 1), [id(2), id(3)])
  assert.deepEqual(await listed(BEGIN), [id(3)])
  const steps: StepRow[] = []
  for await (const part of traces.steps(PROJECT, [id(1)])) steps.push(...part)
  assert.equal(steps.length, 1)
})

test('filters read steps and events only of the ids that are listed', async (t) => {
  const select = t.mock.method(world.engine, 'select')
  const [lowestId, highestId] = [id(1), idAtTime('tr', BEGIN + DAY)]
  const bounds = async (startTime: number | null, throughId: TraceId) => {
    await traces.list({
      projectId: PROJECT,
      lowestId,
      highestId,
      createdFrom: 0,
      order: 'desc',
      limit: 10,
      matching: {
        projectId: PROJECT,
        filters: { ...toTraceFilters('lists', { step_name: 'search' }), metadata: [] },
        words: ['refund'],
        scored: scoredByMetric('met_1' as MetricId),
        withoutMetric: null,
        rates: null,
        among: null,
        startTime,
        endTime: null,
        throughId,
      },
    })
    const statement = select.mock.calls.at(-1)!.arguments[0]
    return statement.match(/(?<=trace_id )[<>]= '\w+'/g)
  }
  const threeTimes = (lowest: TraceId, highest: TraceId) =>
    [1, 2, 3].flatMap(() => [`>= '${lowest}'`, `<= '${highest}'`])
  assert.deepEqual(await bounds(null, greatestId('tr')), threeTimes(lowestId, highestId))
  const [start, through] = [idAtTime('tr', BEGIN + 1), idAtTime('tr', BEGIN + DAY / 2)]
  assert.deepEqual(await bounds(BEGIN + 1, through), threeTimes(start, through))
})

test('returns the steps of each trace in order, and bodies only where a user speaks or an error occurred', async () => {
  const asked = body({ messages: [{ role: 'user', content: [{ type: 'text', text: "what's up\n?" }] }] })
  const human = body({ messages: [{ role: 'Human', content: [] }] })
  const failed = body({ error: { type: 'TimeoutError' } })
  await world.addTraces(
    [record(id(1)), record(id(2))],
    [
      step(id(2), 0, { name: 'first', type: 'llm', body: asked }),
      step(id(1), 1, {
        name: 'second',
        type: 'tool',
        body: body({ messages: [{ role: 'tool' }] }),
        calls: { tools: ['search'], arguments: [] },
      }),
      step(id(1), 0, { name: 'first', type: 'llm', body: human }),
      step(id(1), 2, { name: 'third', type: 'tool', status: 'error', body: failed }),
      step(id(3), 0, { name: 'of another', body: asked }),
    ],
  )
  assert.deepEqual(await stepsOf([id(2), id(1), id(9)]), [
    [
      [id(1), 'first', 'llm', 'ok', human.toString(), []],
      [id(1), 'second', 'tool', 'ok', '{}', ['search']],
      [id(1), 'third', 'tool', 'error', failed.toString(), []],
      [id(2), 'first', 'llm', 'ok', asked.toString(), []],
    ],
  ])
  assert.deepEqual(await stepsOf([]), [])
  assert.deepEqual(await stepsOf([id(9)]), [])
})

test('reads large traces in parts, and only the beginning of a very large one', async () => {
  const large = body({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(600_000) }] }] })
  const steps = [1, 2, 3].map((number) => step(id(number), 0, { name: `of ${number}`, body: large }))
  const huge = Array.from({ length: 10 }, (_, position) => step(id(4), position, { name: 'h', body: large }))
  const first = step(id(5), 0, {
    name: 'at once',
    body: body({ messages: [{ role: 'user', content: [{ type: 'text', text: 'y'.repeat(5_000_000) }] }] }),
  })
  await world.addTraces(
    [1, 2, 3, 4, 5].map((number) => record(id(number))),
    [...steps, ...huge, first, step(id(5), 1, { name: 'too late', body: large })],
  )
  const parts = await stepsOf([1, 2, 3, 4, 5].map(id))
  assert.deepEqual(
    parts.map((rows) => rows.map(([traceId, name]) => `${[1, 2, 3, 4, 5].find((n) => id(n) === traceId)} ${name}`)),
    [['1 of 1'], ['2 of 2'], ['3 of 3'], Array.from({ length: 6 }, () => '4 h'), ['5 at once']],
  )
})

test('of a failed trace that is cut off, the last failed step is read too', async () => {
  const large = body({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] }] })
  const failed = body({ error: { type: 'TimeoutError' } })
  const inSteps = (number: number, ends: (readonly [string, 'ok' | 'error', Buffer])[]) =>
    ends.map(([name, status, own], at) => step(id(number), at * 1000, { name, type: 'tool', status, body: own }))
  await world.addTraces(
    [record(id(1)), record(id(2))],
    [
      ...inSteps(1, [
        ['first', 'ok', large],
        ['second', 'error', failed],
        ['third', 'error', failed],
        ['fourth', 'ok', failed],
      ]),
      ...inSteps(2, [
        ['first', 'error', failed],
        ['second', 'ok', large],
        ['third', 'ok', large],
      ]),
    ],
  )
  const names = (parts: readonly (readonly StepRow[])[]) => parts.flat().map(([, name]) => name)
  assert.deepEqual(names(await stepsOf([id(1), id(2)], true)), ['first', 'third', 'first'])
  assert.deepEqual(names(await stepsOf([id(1), id(2)])), ['first', 'first'])
})

test('a step that was replaced is read once, before the engine has merged it', async () => {
  await world.engine.command('SYSTEM STOP MERGES steps')
  try {
    await world.addTraces([record(id(1))], [step(id(1), 0, { name: 'begun' }), step(id(1), 1, { name: 'next' })])
    const ended = newStep(record(id(1)), 0, { version: 2, prepared: preparedStep({ name: 'ended' }) })
    await world.addTraces([record(id(1), { version: 2 })], [ended])
    assert.deepEqual(
      (await stepsOf([id(1)])).flat().map(([, name]) => name),
      ['ended', 'next'],
    )
  } finally {
    await world.engine.command('SYSTEM START MERGES steps')
  }
})
