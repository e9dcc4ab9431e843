import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id, IdPrefix, MetricId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { type FilterNameOf, filterValues, toTraceFilters } from '@spoor/contract/trace-filters'
import fc from 'fast-check'
import type { MetricEventRecord, MetricSource, MetricValue } from '../journal/metric-event.ts'
import { idFromBytes } from '../../lib/ids/typeid.ts'
import { type EventOrigin, hasMetadata } from '../../metrics/event-origin.test-support.ts'
import type { MetricEventQuery, MetricEventStore } from './metric-event-store.ts'
import { times } from '../../lib/times.test-support.ts'

export interface MetricEventStoreUnderTest {
  readonly store: MetricEventStore
  /** Commits these events of traces that are like this, in the order of their ids. */
  write(events: readonly MetricEventRecord[], origin?: EventOrigin): Promise<void>
  /** Deletes a trace of the project; its rows may go later, or never. */
  deleteTrace(projectId: ProjectId, traceId: TraceId): Promise<void>
}

/** Each call asks for projects that no other has used; the store may hold what others wrote. */
let begun = 0

const NOW = Date.UTC(2026, 5, 1)
const SOURCES: readonly (MetricSource | null)[] = [null, 'human', 'code', 'llm']

class World {
  readonly number = (begun += 1)
  readonly project: ProjectId = this.id('proj', 1)
  readonly other: ProjectId = this.id('proj', 2)
  #made = 0

  id<P extends IdPrefix>(prefix: P, number: number): Id<P> {
    const bytes = Buffer.alloc(16)
    bytes.writeUIntBE(NOW, 0, 6)
    bytes.writeUInt32BE(this.number, 8)
    bytes.writeUInt32BE(number, 12)
    return idFromBytes(prefix, bytes)
  }

  trace(number: number): TraceId {
    return this.id('tr', number)
  }

  metric(number: number): MetricId {
    return this.id('met', number)
  }

  step(number: number): StepId {
    return this.id('st', number)
  }

  event(fields: Partial<MetricEventRecord> = {}): MetricEventRecord {
    const id = this.id('mev', (this.#made += 1))
    return {
      projectId: this.project,
      id,
      createdBy: null,
      traceId: this.trace(1),
      stepId: null,
      metricId: this.metric(1),
      version: 1,
      createdAt: NOW,
      at: NOW,
      value: { kind: 'boolean', passed: true },
      source: null,
      comment: null,
      metadata: Buffer.from('{}'),
      idempotencyKey: null,
      ...fields,
    }
  }

  query(fields: Partial<MetricEventQuery> = {}): MetricEventQuery {
    return {
      projectId: this.project,
      metricId: null,
      traceId: null,
      stepId: null,
      source: null,
      ...toTraceFilters('events', {}),
      metadata: [],
      startTime: null,
      endTime: null,
      after: null,
      limit: 1000,
      ...fields,
    }
  }
}

/** Whether one of the own values is wanted, if any is, and none unwanted. */
function passes(query: MetricEventQuery, name: 'run_type' | 'model', own: readonly string[]): boolean {
  const given = (of: FilterNameOf<'events'>) => filterValues(query, of).map(String)
  const isOwn = (value: string) => own.includes(value)
  return (given(name).length === 0 || given(name).some(isOwn)) && !given(`not_${name}`).some(isOwn)
}

/** Guarantees of every MetricEventStore. */
export function testMetricEventStore(open: () => MetricEventStoreUnderTest): void {
  test('the latest value of each trace and metric, wherever the events are', async () => {
    const { store, write } = open()
    const world = new World()
    const [quality, passed, grade] = [1, 2, 3].map((number) => world.metric(number)) as [MetricId, MetricId, MetricId]
    const number = (value: number): MetricValue => ({ kind: 'numeric', number: value })
    const early = [
      world.event({ metricId: quality, value: number(0.1), at: NOW + 5 }),
      world.event({ metricId: quality, value: number(-1.5e-7), at: NOW + 9 }),
      world.event({ metricId: passed, value: { kind: 'boolean', passed: false }, stepId: world.step(1) }),
      world.event({ metricId: grade, value: { kind: 'enum', option: 'it\'s "ü"' }, traceId: world.trace(2) }),
      world.event({ metricId: quality, value: number(7), projectId: world.other, at: NOW + 99 }),
    ]
    await write(early)
    await write([
      world.event({ metricId: quality, value: number(0.3), at: NOW + 8 }),
      // Of the same time as the first: the later id.
      world.event({ metricId: passed, value: { kind: 'boolean', passed: true } }),
      world.event({ metricId: world.metric(4), value: number(4) }),
      world.event({ metricId: quality, value: number(5), traceId: world.trace(3) }),
    ])
    const asked = [world.trace(1), world.trace(2)]
    const found = await store.latestOf(world.project, [quality, passed, grade], asked)
    assert.deepEqual(
      found.map(({ traceId, metricId, value }) => [traceId, metricId, value]).sort(),
      [
        [world.trace(1), quality, number(-1.5e-7)],
        [world.trace(1), passed, { kind: 'boolean', passed: true }],
        [world.trace(2), grade, { kind: 'enum', option: 'it\'s "ü"' }],
      ].sort(),
    )
    assert.deepEqual(await store.latestOf(world.project, [], asked), [])
    assert.deepEqual(await store.latestOf(world.project, [quality], []), [])
  })

  test('events come back as they were written, every value, every byte of the metadata', async () => {
    const { store, write } = open()
    const world = new World()
    const values: MetricValue[] = [
      { kind: 'boolean', passed: true },
      { kind: 'boolean', passed: false },
      ...[0, 0.1, -1.5, 1 / 3, 5e-324, 1.7976931348623157e308, 2 ** 53, 1e21].map((number) => ({
        kind: 'numeric' as const,
        number,
      })),
      ...['', 'good', 'true', '1', 'ä 雪 \u0000 "\\'].map((option) => ({ kind: 'enum' as const, option })),
    ]
    const events = values.map((value, index) =>
      world.event({
        value,
        at: index % 2 === 0 ? Date.UTC(2000, 0, 1) : NOW - index,
        createdAt: NOW + index,
        version: 1 + index,
        source: SOURCES[index % 4]!,
        stepId: index % 3 === 0 ? world.step(index) : null,
        comment: [null, '', 'because\n\n"of" \\ \u0000 \ud800', '雪'][index % 4]!,
        idempotencyKey: [null, '', 'k', "it's \n"][(index + 1) % 4]!,
        metadata: Buffer.from(
          ['{}', '{ "a" :\n\n1e0, "a": 2 }', '{"b":[{}\n,\n{}]}', '{"\\u0000":"\\ud800"}'][index % 4]!,
        ),
      }),
    )
    await write(events)
    const { project } = world
    assert.deepEqual(
      await store.findByTraces({ projectId: project, traceIds: [world.trace(1)], after: null, limit: 1000 }),
      events,
    )
    for (const event of events) assert.deepEqual(await store.find(project, event.traceId, event.id), event)
    const many = await store.findMany(project, [...events, ...events.slice(0, 2)])
    assert.deepEqual(
      many.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      events,
    )
    assert.deepEqual(await store.findMany(project, []), [])
    assert.deepEqual(
      new Set((await store.list(world.query())).map(({ id }) => id)),
      new Set(events.map(({ id }) => id)),
    )
    for (const event of await store.list(world.query())) {
      assert.deepEqual(
        event,
        events.find(({ id }) => id === event.id),
      )
    }
  })

  test('an event is found by its project, trace and id alone', async () => {
    const { store, write } = open()
    const world = new World()
    const [mine, foreign] = [world.event(), world.event({ projectId: world.other })]
    await write([mine, foreign])
    assert.deepEqual(await store.find(world.project, mine.traceId, mine.id), mine)
    assert.equal(await store.find(world.other, mine.traceId, mine.id), undefined)
    assert.equal(await store.find(world.project, foreign.traceId, foreign.id), undefined)
    assert.equal(await store.find(world.project, world.trace(9), mine.id), undefined)
    assert.equal(await store.find(world.project, mine.traceId, world.id('mev', 99)), undefined)
    assert.deepEqual(await store.list(world.query({ projectId: world.other })), [foreign])
    const elsewhere = { traceId: world.trace(9), id: mine.id }
    assert.deepEqual(await store.findMany(world.project, [foreign, elsewhere, mine]), [mine])
  })

  test('the events of a trace come page by page in the order they came', async () => {
    const { store, write } = open()
    const world = new World()
    const events = Array.from({ length: 25 }, (_, index) =>
      world.event({
        traceId: world.trace(1 + (index % 2)),
        at: NOW - index * 7_000_000,
        metricId: world.metric(index % 3),
      }),
    )
    for (let from = 0; from < events.length; from += 5) await write(events.slice(from, from + 5))
    const mine = events.filter(({ traceId }) => traceId === world.trace(2))
    for (const limit of [1, 5, 12, 13]) {
      const walked: MetricEventRecord[] = []
      for (;;) {
        const page = await store.findByTraces({
          projectId: world.project,
          traceIds: [world.trace(2)],
          after: walked.at(-1)?.id ?? null,
          limit,
        })
        walked.push(...page)
        if (page.length < limit) break
      }
      assert.deepEqual(walked, mine)
    }
    const both = { projectId: world.project, traceIds: [world.trace(2), world.trace(1), world.trace(9)], after: null }
    assert.deepEqual(await store.findByTraces({ ...both, limit: 1000 }), events)
    assert.deepEqual(await store.findByTraces({ ...both, limit: 3 }), events.slice(0, 6))
    assert.deepEqual(await store.findByTraces({ ...both, traceIds: [], limit: 3 }), [])
  })

  test('a list is newest first, by any filter, and a walk through it sees each event once', async () => {
    const { store, write } = open()
    const world = new World()
    // From years ago to a little ahead of the clock; many at the same time.
    const ages = [0, 0, 1, 1000, 3_599_999, 3_600_000, 5 * 3_600_000, 40 * 3_600_000, 1e9, 1e10, 1e11, 8e11, -200_000]
    const events = Array.from({ length: 120 }, (_, index) =>
      world.event({
        at: NOW - ages[(index * 5) % ages.length]!,
        metricId: world.metric(index % 3),
        traceId: world.trace(index % 7),
        stepId: index % 4 === 0 ? world.step(index % 8) : null,
        source: SOURCES[index % 4]!,
        projectId: index % 10 === 9 ? world.other : world.project,
      }),
    )
    for (let from = 0; from < events.length; from += 40) await write(events.slice(from, from + 40))
    const bound = fc.option(
      fc.constantFrom(...ages).map((age) => NOW - age),
      { nil: null, freq: 2 },
    )
    const maybe = <T>(value: T) => fc.constantFrom(null, null, value)
    const questions = fc.record({
      metricId: maybe(world.metric(1)),
      traceId: maybe(world.trace(3)),
      stepId: maybe(world.step(4)),
      source: maybe('human' as const),
      startTime: bound,
      endTime: bound,
      limit: fc.constantFrom(1, 3, 10, 1000),
    })
    await fc.assert(
      fc.asyncProperty(questions, async (question) => {
        const query = world.query(question)
        const expected = events
          .filter(
            (event) =>
              event.projectId === query.projectId &&
              (query.metricId === null || event.metricId === query.metricId) &&
              (query.traceId === null || event.traceId === query.traceId) &&
              (query.stepId === null || event.stepId === query.stepId) &&
              (query.source === null || event.source === query.source) &&
              (query.startTime === null || event.at >= query.startTime) &&
              (query.endTime === null || event.at < query.endTime),
          )
          .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
        const walked: MetricEventRecord[] = []
        for (;;) {
          const last = walked.at(-1)
          const after = last === undefined ? null : { at: last.at, id: last.id }
          const page = await store.list({ ...query, after })
          walked.push(...page)
          if (page.length < query.limit || walked.length > events.length) break
        }
        assert.deepEqual(
          walked.map(({ id }) => id),
          expected.map(({ id }) => id),
        )
      }),
      { numRuns: times(10) },
    )
  })

  test('a list goes by what the trace was when the event came, and by whose metadata has the key', async () => {
    const { store, write } = open()
    const world = new World()
    const origins: readonly EventOrigin[] = [
      { runType: 'agent', models: ['a', "b'"], metadata: { env: 'prod', n: 1 } },
      { runType: 'eval', models: [], metadata: { env: { deep: [1] } } },
      { runType: 'agent', models: ["b'"], metadata: {} },
    ]
    const own = ['{}', '{"env":"dev"}', '{"other": null}']
    const written: { readonly event: MetricEventRecord; readonly origin: EventOrigin }[] = []
    for (const origin of origins) {
      const events = own.flatMap((metadata, index) =>
        [1, 2].map((trace) =>
          world.event({
            metadata: Buffer.from(metadata),
            at: NOW - ((index * 7_000_000) % 13_000_000),
            traceId: world.trace(trace),
            metricId: world.metric(index % 2),
          }),
        ),
      )
      await write(events, origin)
      written.push(...events.map((event) => ({ event, origin })))
    }
    const filters: readonly Partial<MetricEventQuery>[] = [
      { runType: 'agent' },
      { runType: ['agent', 'eval'], notModel: 'a' },
      { notRunType: 'agent' },
      { model: ['a', 'c'], notRunType: ['eval', 'x'] },
      { model: "b'" },
      { model: 'c' },
      { metadata: [{ key: 'env', value: 'prod' }] },
      { metadata: [{ key: 'env', value: '"dev"' }] },
      { metadata: [{ key: 'env', value: '{"deep":[1]}' }] },
      { metadata: [{ key: 'n', value: '1' }] },
      // prettier-ignore
      { runType: 'agent', model: 'a', metadata: [{ key: 'env', value: null }, { key: 'other', value: 'null' }] },
    ]
    for (const filter of filters) {
      for (const place of [{}, { metricId: world.metric(1) }, { traceId: world.trace(2) }]) {
        const query = world.query({ ...filter, ...place })
        const expected = written.filter(
          ({ event, origin }) =>
            passes(query, 'run_type', [origin.runType]) &&
            passes(query, 'model', origin.models) &&
            (query.metricId === null || event.metricId === query.metricId) &&
            (query.traceId === null || event.traceId === query.traceId) &&
            query.metadata.every((wanted) => hasMetadata(event, origin, wanted)),
        )
        const found = await store.list(query)
        assert.deepEqual(new Set(found), new Set(expected.map(({ event }) => event)), JSON.stringify(query))
        assert.equal(found.length, expected.length)
      }
    }
  })

  test('the events of a deleted trace are in no answer, and pages stay full', async () => {
    const { store, write, deleteTrace } = open()
    const world = new World()
    const events = Array.from({ length: 60 }, (_, index) =>
      world.event({ at: NOW - index, traceId: world.trace(index % 10 === 0 ? 1 : 2) }),
    )
    await write(events)
    await deleteTrace(world.project, world.trace(2))
    const left = events.filter(({ traceId }) => traceId === world.trace(1))
    const gone = events.find(({ traceId }) => traceId === world.trace(2))!
    assert.deepEqual(await store.list(world.query({ limit: 4 })), left.slice(0, 4))
    assert.deepEqual(await store.list(world.query({ limit: 4, metricId: world.metric(1) })), left.slice(0, 4))
    assert.deepEqual(await store.list(world.query()), left)
    assert.deepEqual(await store.list(world.query({ traceId: world.trace(2) })), [])
    assert.equal(await store.find(world.project, gone.traceId, gone.id), undefined)
    assert.deepEqual(await store.findMany(world.project, [gone, left[0]!]), [left[0]])
    const ofTraces = { projectId: world.project, after: null, limit: 10 }
    assert.deepEqual(await store.findByTraces({ ...ofTraces, traceIds: [world.trace(2)] }), [])
    assert.deepEqual(await store.findByTraces({ ...ofTraces, traceIds: [world.trace(1), world.trace(2)] }), left)
  })
}
