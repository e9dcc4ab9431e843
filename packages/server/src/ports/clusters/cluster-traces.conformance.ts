import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { greatestId, idAtTime } from '../../lib/ids/ids.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import type { ClusterTraces, StepRow, TraceFailure } from './cluster-traces.ts'

/** A version of a trace, with the steps that it adds. */
export interface CommittedTrace {
  readonly id: TraceId
  readonly projectId: ProjectId
  readonly version: number
  readonly createdAt: number
  readonly failed: boolean
  readonly deleted: boolean
  readonly growing?: boolean
  /** Default: none. */
  readonly name?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** In order; with messages of users, or an error. */
  readonly steps: readonly StepRow[]
}

/** An event of a boolean metric. */
export interface Score {
  readonly number: number
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly metricId: MetricId
  readonly at: number
  readonly passed: boolean
}

export interface ClusterTracesWorld {
  readonly traces: ClusterTraces
  readonly score: (scores: readonly Score[]) => Promise<void>
  /** One commit. */
  readonly commit: (traces: readonly CommittedTrace[]) => Promise<void>
}

const BEGIN = Date.UTC(2026, 1, 27, 22)
const id = (number: number): TraceId => idAt('tr', BEGIN, number)

function aTrace(number: number, version: number, fields: Partial<CommittedTrace> = {}): CommittedTrace {
  const rest = { projectId: PROJECT, createdAt: BEGIN, failed: false, deleted: false, steps: [] }
  return { id: id(number), version, ...rest, ...fields }
}

function stepsOf(number: number, ...names: readonly string[]): readonly StepRow[] {
  const body = JSON.stringify({ messages: [{ role: 'user', content: [] }] })
  return names.map((name) => [id(number), name, 'llm', 'ok', body, []])
}

/**
 * The contract of every source of traces for clusters. `open` returns an empty world; it may be the same one, cleared.
 */
export function testClusterTraces(open: () => Promise<ClusterTracesWorld>): void {
  test('lists the latest versions within the bounds, without deleted ones and other projects', async () => {
    const { traces, commit } = await open()
    await commit([
      aTrace(1, 1),
      aTrace(2, 2, { failed: true }),
      aTrace(3, 3),
      aTrace(4, 4, { projectId: OTHER_PROJECT }),
      aTrace(5, 5),
    ])
    await commit([aTrace(1, 6, { failed: true }), aTrace(3, 7, { deleted: true })])
    const highestId = idAtTime('tr', BEGIN + 1)
    const query = { projectId: PROJECT, lowestId: id(1), highestId, createdFrom: 0, limit: 10 } as const
    const all = [
      { id: id(1), version: 6, failed: true, createdAt: BEGIN },
      { id: id(2), version: 2, failed: true, createdAt: BEGIN },
      { id: id(5), version: 5, failed: false, createdAt: BEGIN },
    ]
    assert.deepEqual(await traces.list({ ...query, order: 'asc' }), all)
    assert.deepEqual(await traces.list({ ...query, order: 'desc', limit: 2 }), [all[2], all[1]])
    assert.deepEqual(await traces.list({ ...query, order: 'asc', lowestId: id(2), highestId: id(5) }), [all[1]])
  })

  test('lists only traces that match filters that were looked up', async () => {
    const { traces, commit } = await open()
    const names = ['agent', 'other', 'agent', 'agent']
    await commit(names.map((name, at) => aTrace(at + 1, at + 1, { name })))
    const looked = { projectId: PROJECT, words: null, scored: null, withoutMetric: null, rates: null }
    const matching = { ...looked, among: null, startTime: null, endTime: null, throughId: greatestId('tr') }
    const of = (name: string | null, among: readonly TraceId[] | null = null) => {
      const filters = { ...toTraceFilters('lists', name === null ? {} : { name }), metadata: [] }
      return { ...matching, filters, among }
    }
    const within = { projectId: PROJECT, lowestId: id(1), highestId: greatestId('tr'), createdFrom: 0 }
    const listed = async (query: ReturnType<typeof of>) =>
      (await traces.list({ ...within, order: 'asc', limit: 10, matching: query })).map((one) => one.id)
    assert.deepEqual(await listed(of('agent')), [id(1), id(3), id(4)])
    assert.deepEqual(await listed(of('nobody')), [])
    assert.deepEqual(await listed(of('agent', [id(2), id(3)])), [id(3)])
    assert.deepEqual(await listed(of(null, [id(2), id(3)])), [id(2), id(3)])
  })

  test('lists only traces that do not grow in their latest version, if they are to be complete', async () => {
    const { traces, commit } = await open()
    await commit([aTrace(1, 1, { growing: true }), aTrace(2, 2), aTrace(3, 3, { growing: true })])
    await commit([aTrace(1, 4)])
    const within = { projectId: PROJECT, lowestId: id(1), highestId: greatestId('tr'), createdFrom: 0 }
    const listed = async (onlyComplete: boolean) =>
      (await traces.list({ ...within, order: 'asc', limit: 10, onlyComplete })).map((one) => one.id)
    assert.deepEqual(
      [await listed(true), await listed(false)],
      [
        [id(1), id(2)],
        [id(1), id(2), id(3)],
      ],
    )
  })

  test('a trace failed by its status, by a value of its metadata, or by its latest event of a metric', async () => {
    const { traces, commit, score } = await open()
    await commit([
      aTrace(1, 1, { failed: true, metadata: { reward: 1 } }),
      aTrace(2, 2, { metadata: { reward: 0 } }),
      aTrace(3, 3, { metadata: { reward: '0', verdict: 'n\u0000o' } }),
      aTrace(4, 4, { metadata: { other: 0 } }),
    ])
    const [metricId, otherMetric] = [1, 2].map((number): MetricId => idAt('met', BEGIN, number)) as [MetricId, MetricId]
    const of = (number: number, trace: number, passed: boolean, fields: Partial<Score> = {}): Score => ({
      number,
      projectId: PROJECT,
      traceId: id(trace),
      metricId,
      at: BEGIN + number,
      passed,
      ...fields,
    })
    await score([
      of(1, 1, false),
      of(2, 1, true),
      of(3, 2, true, { at: BEGIN }),
      of(4, 2, false, { at: BEGIN + 9 }),
      of(5, 2, true, { at: BEGIN + 5 }),
      of(6, 3, false, { metricId: otherMetric }),
      of(7, 4, false, { projectId: OTHER_PROJECT }),
    ])
    const within = { projectId: PROJECT, lowestId: id(1), highestId: greatestId('tr'), createdFrom: 0, limit: 10 }
    const failures = async (failure?: TraceFailure) =>
      (await traces.list({ ...within, order: 'asc', ...(failure && { failure }) })).map(({ failed }) => failed)
    assert.deepEqual(await failures(), [true, false, false, false])
    assert.deepEqual(await failures({ kind: 'status' }), [true, false, false, false])
    const byMetadata = (key: string, value: string) => failures({ kind: 'metadata', key, value })
    assert.deepEqual(await byMetadata('reward', '0'), [false, true, true, false])
    assert.deepEqual(await byMetadata('verdict', 'n\u0000o'), [false, false, true, false])
    assert.deepEqual(await byMetadata(`it's`, ''), [false, false, false, false])
    assert.deepEqual(await failures({ kind: 'metric', id: metricId }), [false, true, null, null])
    const failedOnly = async (failure: TraceFailure) =>
      (await traces.list({ ...within, order: 'asc', failure, onlyFailed: true })).map((one) => one.id)
    assert.deepEqual(await failedOnly({ kind: 'status' }), [id(1)])
    assert.deepEqual(await failedOnly({ kind: 'metadata', key: 'reward', value: '0' }), [id(2), id(3)])
    assert.deepEqual(await failedOnly({ kind: 'metric', id: metricId }), [id(2)])
    assert.deepEqual(
      await traces.list({ ...within, lowestId: id(9), order: 'asc', failure: { kind: 'metric', id: metricId } }),
      [],
    )
  })

  test('names traces, and finds the value at a path in their metadata', async () => {
    const { traces, commit } = await open()
    const asked = { question: 'where is it?', inner: { "it's": 'here', count: 2, none: null, 'a.b': 'dots' } }
    await commit([
      aTrace(1, 1, { name: 'answer', metadata: asked }),
      aTrace(2, 2, { name: 'plan', metadata: { question: ['x', 1] } }),
      aTrace(3, 3, { name: 'of another', projectId: OTHER_PROJECT, metadata: asked }),
      aTrace(4, 4, { name: 'gone', deleted: true, metadata: asked }),
    ])
    const ids = [1, 2, 3, 4, 9].map(id)
    const inputs = async (...path: readonly string[]) =>
      [...(await traces.headings(PROJECT, ids, path))].sort().map(([, { input }]) => input)
    assert.deepEqual([...(await traces.headings(PROJECT, ids, null))].sort(), [
      [id(1), { name: 'answer', input: null }],
      [id(2), { name: 'plan', input: null }],
    ])
    assert.deepEqual(await inputs('question'), ['where is it?', '["x",1]'])
    assert.deepEqual(await inputs('inner', `it's`), ['here', null])
    assert.deepEqual(await inputs('inner', 'count'), ['2', null])
    assert.deepEqual(await inputs('inner', 'none'), [null, null])
    assert.deepEqual(await inputs('question', 'deeper'), [null, null])
    assert.deepEqual(await traces.headings(PROJECT, [], ['question']), new Map())
  })

  test('lists traces created from a given time on', async () => {
    const { traces, commit } = await open()
    const before = BEGIN - 3_600_000
    const older = { ...aTrace(2, 2, { createdAt: before }), id: idAt('tr', before, 2) }
    await commit([aTrace(1, 1), older, aTrace(3, 3)])
    const lowestId = idAtTime('tr', before)
    const query = { projectId: PROJECT, lowestId, highestId: greatestId('tr'), order: 'asc', limit: 10 } as const
    const listed = async (createdFrom: number) => (await traces.list({ ...query, createdFrom })).map((one) => one.id)
    assert.deepEqual(await listed(before), [older.id, id(1), id(3)])
    assert.deepEqual(await listed(before + 1), [id(1), id(3)])
  })

  test('returns the steps of each trace together and in order, and none of other traces', async () => {
    const { traces, commit } = await open()
    const steps = [stepsOf(1, 'first', 'second', 'third'), stepsOf(2, 'another'), stepsOf(3, 'not asked for')]
    await commit(steps.map((own, index) => aTrace(index + 1, index + 1, { steps: own })))
    await commit([aTrace(4, 4), aTrace(5, 5, { projectId: OTHER_PROJECT, steps: stepsOf(5, 'of another project') })])
    const found = async (ids: readonly TraceId[]) => {
      const rows: StepRow[] = []
      for await (const part of traces.steps(PROJECT, ids)) rows.push(...part)
      return rows
    }
    const rows = await found([id(1), id(2), id(4), id(5), id(9)])
    assert.deepEqual(
      rows.filter(([traceId]) => traceId === id(1)),
      steps[0],
    )
    assert.deepEqual(new Set(rows.map(([, name]) => name)), new Set(['first', 'second', 'third', 'another']))
    assert.ok([0, 3].includes(rows.findIndex(([traceId]) => traceId === id(2))))
    assert.deepEqual(await found([]), [])
    assert.deepEqual(await found([id(9)]), [])
  })
}
