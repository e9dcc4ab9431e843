import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { VERSION_TRACES } from '@spoor/contract/schemas/versions'
import { greatestId } from '../../../lib/ids/ids.ts'
import type { VersionQuery } from '../../../ports/traces/trace-versions.ts'
import { idAt, OTHER_PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, EVERY_TRACE } from './aggregate-world.test-support.ts'
import { ClickHouseTraceVersions } from './clickhouse-trace-versions.ts'

const world = await aggregateWorld()
afterEach(() => world.clear())

const NOON = Date.UTC(2026, 1, 27, 12)
const METRIC = idAt('met', 1)
const QUERY: VersionQuery = {
  ...EVERY_TRACE,
  throughId: greatestId('tr'),
  failure: { kind: 'status' },
  versionKey: 'release',
  limit: 10,
}

const id = (number: number) => idAt('tr', NOON + number, number)
const run = (number: number, release: unknown, more: Parameters<typeof traceRecord>[1] = {}) =>
  traceRecord(id(number), {
    createdAt: NOON + number,
    status: 'ok',
    metadata: Buffer.from(JSON.stringify(release === undefined ? {} : { release })),
    ...more,
  })
const store = new ClickHouseTraceVersions(world.dependencies)

test('versions come with their runs, the newest first, from the latest rows of this project', async () => {
  await world.addTraces([run(1, 'a', { status: 'error' }), run(5, 'a', { status: 'error' })])
  await world.addTraces([
    run(1, 'a', { version: 2 }),
    run(2, 'a', { status: 'error' }),
    run(3, 2.5),
    run(4, undefined, { status: 'error' }),
    run(5, 'a', { version: 2, deleted: true }),
    run(6, 'other', { projectId: OTHER_PROJECT }),
  ])
  const first = (number: number, failed: boolean) => ({ id: id(number), failed })
  const a = { version: 'a', runs: 2, failed: 1, firstAt: NOON + 1, lastAt: NOON + 2 }
  const b = { version: '2.5', runs: 1, failed: 0, firstAt: NOON + 3, lastAt: NOON + 3, first: [first(3, false)] }
  const all = [b, { ...a, first: [first(1, false), first(2, true)] }]
  assert.deepEqual(await store.countVersions(QUERY), all)
  assert.deepEqual(await store.countVersions({ ...QUERY, limit: 1 }), [b])
  assert.deepEqual(await store.countVersions({ ...QUERY, versionKey: 'version' }), [])
  const filtered = { ...QUERY, filters: { ...QUERY.filters, status: 'error' as const } }
  assert.deepEqual(
    (await store.countVersions(filtered)).map(({ version, runs }) => [version, runs]),
    [['a', 1]],
  )
})

test('runs that a metric did not judge are left out, and of many runs the first are listed', async () => {
  const count = VERSION_TRACES + 2
  await world.addTraces(Array.from({ length: count }, (_, number) => run(number, 'a')))
  const point = { metricId: METRIC, option: '', source: '', runType: '', models: [], metadata: {} } as const
  const judged = [1, 7].map((number) => {
    return Object.assign({ traceId: id(number), at: NOON, id: `mev_${number}`, value: Number(number === 1) }, point)
  })
  await world.addPoints(judged)
  const [all] = await store.countVersions(QUERY)
  assert.deepEqual(
    [all?.runs, all?.first.length, all?.first.at(-1)?.id],
    [count, VERSION_TRACES, id(VERSION_TRACES - 1)],
  )
  const [found] = await store.countVersions({ ...QUERY, failure: { kind: 'metric', id: METRIC } })
  assert.deepEqual(found?.first, [
    { id: id(1), failed: false },
    { id: id(7), failed: true },
  ])
})
