import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { TraceFacetsQuery, TraceFacetStore } from './trace-facets.ts'
import type { TraceRecord } from './trace-record.ts'

export interface FacetsUnderTest {
  readonly facets: TraceFacetStore
  /** Commits versions of traces. */
  write(traces: readonly TraceRecord[]): Promise<void>
}

const NOON = Date.UTC(2026, 1, 27, 12)

/** The contract of every TraceFacetStore. `open` returns an empty store that reads this many of the newest traces. */
export function testTraceFacets(open: (mostTraces: number) => Promise<FacetsUnderTest>): void {
  const find = ({ facets }: FacetsUnderTest, query: Partial<TraceFacetsQuery> = {}) =>
    facets.traceFacets({ projectId: PROJECT, field: { by: 'name' }, containing: null, limit: 100, ...query })
  const named = (names: readonly string[]) => names.map((name, number) => trace(number, { name }))

  test('a store without traces has no values', async () => {
    assert.deepEqual(await find(await open(100)), { values: [], complete: true })
  })

  test('values are ordered by the number of traces, equal numbers by value', async () => {
    const world = await open(100)
    await world.write(named(['b', 'c', 'a', 'c', 'B']))
    const values = [
      ['c', 2],
      ['B', 1],
      ['a', 1],
      ['b', 1],
    ].map(([value, count]) => ({ value, count }))
    assert.deepEqual(await find(world), { values, complete: true })
    assert.deepEqual(await find(world, { limit: 4 }), { values, complete: true })
    assert.deepEqual(await find(world, { limit: 2 }), { values: values.slice(0, 2), complete: false })
  })

  test('each field of a trace has its values', async () => {
    const world = await open(100)
    const metadata = Buffer.from('{"env":"prod","n":1,"list":["x"]}')
    await world.write([
      trace(1, { runType: 'eval', models: ['gpt', 'o3'], sessionId: 's1', userId: 'u1', metadata }),
      trace(2, { models: [], metadata: Buffer.from('{}') }),
    ])
    const valuesOf = async (field: TraceFacetsQuery['field']) =>
      (await find(world, { field })).values.map(({ value }) => value)
    assert.deepEqual(await valuesOf({ by: 'run_type' }), ['agent', 'eval'])
    assert.deepEqual(await valuesOf({ by: 'model' }), ['gpt', 'o3'])
    assert.deepEqual(await valuesOf({ by: 'session_id' }), ['s1'])
    assert.deepEqual(await valuesOf({ by: 'user_id' }), ['u1'])
    assert.deepEqual(await valuesOf({ by: 'metadata_key' }), ['env', 'list', 'n'])
    assert.deepEqual(await valuesOf({ by: 'metadata', key: 'env' }), ['prod'])
    assert.deepEqual(await valuesOf({ by: 'metadata', key: 'n' }), ['1'])
    assert.deepEqual(await valuesOf({ by: 'metadata', key: 'other' }), [])
  })

  test('a text is found anywhere in a value, in any case', async () => {
    const world = await open(100)
    await world.write(named(['Checkout flow', 'FLOW 2', 'other', 'ünï', '100%']))
    const containing = async (text: string) =>
      (await find(world, { containing: text })).values.map(({ value }) => value)
    assert.deepEqual(await containing('flow'), ['Checkout flow', 'FLOW 2'])
    assert.deepEqual(await containing('ÜNÏ'), ['ünï'])
    assert.deepEqual(await containing('%'), ['100%'])
    assert.deepEqual(await containing("'"), [])
  })

  test('only the latest version of a trace counts, and a deleted trace does not', async () => {
    const world = await open(100)
    await world.write(named(['old', 'gone', 'same']))
    await world.write([trace(0, { name: 'new', version: 2 }), trace(1, { name: '', version: 2, deleted: true })])
    assert.deepEqual((await find(world)).values, [
      { value: 'new', count: 1 },
      { value: 'same', count: 1 },
    ])
  })

  test('traces of other projects do not count', async () => {
    const world = await open(100)
    await world.write([trace(1, { name: 'own' }), trace(2, { name: 'foreign', projectId: OTHER_PROJECT })])
    assert.deepEqual(await find(world), { values: [{ value: 'own', count: 1 }], complete: true })
    assert.deepEqual((await find(world, { projectId: OTHER_PROJECT })).values, [{ value: 'foreign', count: 1 }])
  })

  test('only the newest traces are read, whatever the order of their commits; then the values are not complete', async () => {
    const world = await open(2)
    await world.write([trace(3, { name: 'third' })])
    await world.write([trace(1, { name: 'first' }), trace(2, { name: 'second' })])
    const values = ['second', 'third'].map((value) => ({ value, count: 1 }))
    assert.deepEqual(await find(world), { values, complete: false })
  })

  test('values of metadata too long for a search term are left out, names are not', async () => {
    const world = await open(100)
    const long = 'x'.repeat(200)
    await world.write([trace(0, { name: long, metadata: Buffer.from(JSON.stringify({ k: long, [long]: 1 })) })])
    assert.deepEqual(await find(world), { values: [{ value: long, count: 1 }], complete: true })
    const field = { by: 'metadata', key: 'k' } as const
    assert.deepEqual(await find(world, { field }), { values: [], complete: true })
    const keys = await find(world, { field: { by: 'metadata_key' } })
    assert.deepEqual(keys, { values: [{ value: 'k', count: 1 }], complete: true })
  })
}

function trace(number: number, fields: Partial<TraceRecord> = {}): TraceRecord {
  return traceRecord(idAt('tr', NOON, number), { createdAt: NOON, ...fields })
}
