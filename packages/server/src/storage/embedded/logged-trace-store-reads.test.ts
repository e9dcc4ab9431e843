import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { timeOfId } from '../../lib/ids/ids.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { flaggedTerm, runTypeTerm } from '../../traces/rules/terms.ts'
import { idAt, newStep, preparedStep, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FeedCandidate, FeedCandidateQuery, NewStep, StoredCommit } from '../../ports/traces/trace-store.ts'
import { sortKey } from '../../traces/rules/candidate-order.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { LoggedTraceStore } from './logged-trace-store.ts'
import { noLog } from './log/no-log.test-support.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { RECORDED_AT_ONCE } from './recorded-at-once.test-support.ts'
import { SETTLE_AFTER_MS } from './settle/settler.ts'
import { times } from '../../lib/times.test-support.ts'

const engine = await temporaryEngine()

const TRACES = 4
const WORDS = ['refund', 'flight', 'seat']
let version = 0
let worlds = 0

/**
 * A store whose inserts stop before and after the engine takes them, until they are let on; and all that was published.
 */
class StoppedWorld {
  readonly timers = new ManualTimers()
  /** What is stopped, in the order it came there. */
  readonly stopped: (() => void)[] = []
  readonly traces: TraceRecord[] = []
  readonly steps: NewStep[] = []
  readonly ids: readonly TraceId[]
  #open = false
  readonly #inserting = new Set<Promise<void>>()
  readonly store = new LoggedTraceStore(
    new ClickHouseTraceStore({
      ...engine,
      insert: async (table, rows) => {
        await this.#stop()
        const insert = engine.insert(table, rows)
        this.#inserting.add(insert)
        await insert
        this.#inserting.delete(insert)
        await this.#stop()
      },
    }),
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

  constructor() {
    worlds += 1
    // Of two months, days of their own.
    this.ids = Array.from({ length: TRACES }, (_, index) =>
      idAt('tr', Date.UTC(2026, index % 2, 1) + worlds * 60_000, index + 1),
    )
  }

  async commit(changes: readonly Change[]): Promise<void> {
    version += 1
    const steps: NewStep[] = []
    const traces = changes.map(({ index, words, named }) => {
      const id = this.ids[index]!
      const before = this.steps.filter(({ traceId }) => traceId === id).length
      const trace = traceRecord(id, {
        version,
        createdAt: timeOfId(id),
        stepCount: before + words.length,
        runType: index % 2 === 0 ? 'even' : 'odd',
        name: named === null ? 'trace' : WORDS[named]!,
      })
      words.forEach((word, place) => {
        const prepared = preparedStep({ texts: [WORDS[word]!], body: Buffer.from(`{"version":${version}}`) })
        steps.push(newStep(trace, before + place, { prepared }))
      })
      return trace
    })
    const commit: StoredCommit = { version, traces, steps, metricEvents: [] }
    await this.store.stage(commit)
    this.store.publish(version)
    this.traces.push(...traces)
    this.steps.push(...steps)
  }

  /** Lets one that is stopped go on to where it stops next. */
  async letOn(which: number): Promise<void> {
    if (this.stopped.length === 0) return
    const [go] = this.stopped.splice(which % this.stopped.length, 1)
    go?.()
    await this.arrived()
  }

  /** Everything stands still again. */
  async arrived(): Promise<void> {
    do {
      await Promise.all(this.#inserting)
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.#inserting.size > 0)
  }

  async finish(): Promise<void> {
    this.#open = true
    for (const go of this.stopped.splice(0)) go()
    await this.store.settle()
  }

  async #stop(): Promise<void> {
    if (!this.#open) await new Promise<void>((resolve) => this.stopped.push(resolve))
  }
}

function failTest(error: unknown): never {
  throw error
}

interface Change {
  readonly index: number
  readonly words: readonly number[]
  readonly named: number | null
}

const change = fc.record({
  index: fc.nat(TRACES - 1),
  words: fc.array(fc.nat(WORDS.length - 1), { maxLength: 3 }),
  named: fc.option(fc.nat(WORDS.length - 1), { nil: null, freq: 3 }),
})
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      changes: fc.uniqueArray(change, { selector: ({ index }) => index, minLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('letOn' as const), which: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'settle' as const }) },
)
const question = fc.record({
  words: fc.option(fc.subarray(WORDS, { minLength: 1, maxLength: 2 }), { nil: null }),
  terms: fc.constantFrom([], [[runTypeTerm('even')]]),
  sort: fc.constantFrom('created_at', 'step_count' as const),
  order: fc.constantFrom('asc', 'desc' as const),
  among: fc.option(fc.subarray([0, 1, 2, 3], { minLength: 1 }), { nil: null, freq: 3 }),
  limit: fc.integer({ min: 1, max: 5 }),
  trace: fc.nat(TRACES - 1),
  fromPosition: fc.nat(4),
  back: fc.nat(2),
})
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never

test('while commits settle, readers find all that is published, once, at every moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(operation, question), { minLength: 4, maxLength: 12 }), async (plan) => {
      const world = new StoppedWorld()
      const under: Promise<void>[] = []
      for (const [step, asked] of plan) {
        // One that began before, so that rows move while it is under way.
        under.push(assertReads(world, asked))
        if (step.kind === 'commit') await world.commit(step.changes)
        else if (step.kind === 'letOn') await world.letOn(step.which)
        else world.timers.advance(SETTLE_AFTER_MS)
        await world.arrived()
        await assertReads(world, asked)
      }
      await Promise.all(under)
      await world.finish()
      for (const [, asked] of plan) await assertReads(world, asked)
      const ids = world.ids.map((id) => `'${id}'`).join(', ')
      assert.deepEqual(
        await engine.select(`SELECT count(), uniqExact(trace_id, position) FROM steps WHERE trace_id IN (${ids})`),
        [[world.steps.length, world.steps.length]],
      )
    }),
    { numRuns: times(4) },
  )
})

/**
 * Against what was published when it began; what is published meanwhile may or may not be there where no version bounds
 * it.
 */
async function assertReads(world: StoppedWorld, asked: Question): Promise<void> {
  await Promise.all([assertSteps(world, asked), assertTraces(world, asked), assertCandidates(world, asked)])
}

async function assertSteps({ store, ids, steps }: StoppedWorld, asked: Question): Promise<void> {
  const { fromPosition, limit, back } = asked
  const traceId = ids[asked.trace]!
  const maxVersion = version - back
  const ofTrace = steps.filter((step) => step.traceId === traceId)
  const expected = ofTrace.filter((step) => step.version <= maxVersion && step.position >= fromPosition).slice(0, limit)
  const expectedIds = expected.map(({ id }) => id)
  const range = { projectId: PROJECT, traceId, fromPosition, limit, maxVersion }
  const [found, sizes, heads, among] = await Promise.all([
    store.findSteps(range),
    store.findStepSizes(range),
    store.findStepHeads(range),
    store.findStepsAmong(
      PROJECT,
      expectedIds.map((stepId) => ({ traceId, stepId })),
      maxVersion,
    ),
  ])
  assert.deepEqual(
    found.map(({ id, position, body }) => [id, position, body]),
    expected.map((step) => [step.id, step.position, step.prepared.body.toString()]),
  )
  assert.deepEqual(
    sizes,
    expected.map(({ position, prepared }) => ({ position, bodyBytes: prepared.body.length })),
  )
  assert.deepEqual(
    heads.map(({ id, position }) => [id, position]),
    expected.map(({ id, position }) => [id, position]),
  )
  assert.deepEqual(among.map(({ stepId }) => stepId).toSorted(), expectedIds.toSorted())
}

async function assertTraces({ store, ids, traces }: StoppedWorld, { back }: Question): Promise<void> {
  const atVersion = version - back
  const expected = ids.map((id) => traces.findLast((trace) => trace.id === id && trace.version <= atVersion))
  const known = new Set(traces.filter(({ version: of }) => of <= atVersion).map(({ id }) => id))
  const found = await store.findTraces(PROJECT, [...ids, ...ids], atVersion)
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length, 'a trace came twice')
  for (const [index, id] of ids.entries()) {
    const trace = found.find((other) => other.id === id)
    if (!known.has(id)) continue
    assert.ok(trace !== undefined, 'a trace was not found')
    // Of the past only what is still there is found: versions replaced before they settled are not, and no reader asks
    // for them.
    if (back === 0) assert.deepEqual(trace, expected[index])
    else assert.ok(traces.some((other) => other.id === id && other.version === trace.version))
  }
}

async function assertCandidates(world: StoppedWorld, asked: Question): Promise<void> {
  const { store, ids, traces, steps } = world
  const { words, terms, sort, order, among, limit } = asked
  const query: FeedCandidateQuery = {
    bounds: [],
    steps: null,
    rates: null,
    projectId: PROJECT,
    termGroups: terms,
    words,
    lowestId: [...ids].sort()[0]!,
    highestId: [...ids].sort().at(-1)!,
    created: null,
    among: among?.map((index) => ids[index]!) ?? null,
    sort,
    order,
    atVersion: sort === 'created_at' ? null : version,
    after: null,
    limit,
  }
  const told = (trace: TraceRecord) =>
    words === null ||
    words.every((word) => trace.name === word) ||
    steps.some(({ traceId, prepared }) => traceId === trace.id && words.every((word) => prepared.texts[0] === word))
  const newest = new Map(traces.map((trace) => [trace.id, trace]))
  const expected = [...newest.values()]
    .filter((trace) => query.among?.includes(trace.id) !== false)
    .filter((trace) => terms.length === 0 || trace.runType === 'even')
    .filter(told)
    .map((trace) => `${trace.id} ${sortKey(trace, query)}`)
  const found: FeedCandidate[] = []
  const begunAt = version
  for (let after: FeedCandidateQuery['after'] = null; ;) {
    const page = await store.findFeedCandidates({ ...query, after })
    found.push(...page)
    const last = page.at(-1)
    if (page.length < limit || last === undefined) break
    after = { key: last.key, id: last.id }
  }
  const places = new Set(found.map(({ id, key }) => `${id} ${key}`))
  const changed = new Set(traces.filter((trace) => trace.version > begunAt).map(({ id }) => id))
  // One that moved away meanwhile is the caller's to know of (traces/read/snapshot-rows.ts).
  const missing = expected.filter((place) => !places.has(place) && !changed.has(place.split(' ')[0] as TraceId))
  assert.deepEqual(missing, [])
  const versions = found.map(({ id, version: of }) => `${id} ${of}`)
  assert.equal(new Set(versions).size, versions.length, 'a candidate came twice')
}

test('a row that was read before a later version settled is not taken for the latest version', async () => {
  let afterRead: (() => Promise<void>) | null = null
  const slowEngine: TelemetryEngine = {
    ...engine,
    select: async (sql) => {
      const rows = await engine.select(sql)
      const next = afterRead
      afterRead = null
      await next?.()
      return rows
    },
  }
  const store = new LoggedTraceStore(new ClickHouseTraceStore(slowEngine), noLog(), {
    ...RECORDED_AT_ONCE,
    committedVersion: version,
    fullText: true,
    timers: new ManualTimers(),
    onSettledAtStart: () => undefined,
    onError: failTest,
    onRecovered: () => assert.fail('nothing failed'),
    onReleaseError: failTest,
  })
  const createdAt = Date.UTC(2028, 0, 1)
  const id = idAt('tr', createdAt, 1)
  const publish = async (flagged: boolean) => {
    version += 1
    await store.stage({
      version,
      traces: [traceRecord(id, { createdAt, version, flagged })],
      steps: [],
      metricEvents: [],
    })
    store.publish(version)
  }
  await publish(true)
  await store.settle()
  const query: FeedCandidateQuery = {
    projectId: PROJECT,
    termGroups: [],
    bounds: [],
    steps: null,
    rates: null,
    words: null,
    lowestId: id,
    highestId: id,
    created: null,
    among: null,
    sort: 'created_at',
    order: 'desc',
    atVersion: null,
    after: null,
    limit: 10,
  }
  for (const termGroups of [[], [[flaggedTerm()]]]) {
    await publish(true)
    await store.settle()
    const [current] = await store.findFeedCandidates({ ...query, termGroups })
    assert.equal(current?.trace?.version, version)
    await publish(false)
    afterRead = () => store.settle()
    const [outdated] = await store.findFeedCandidates({ ...query, termGroups })
    assert.deepEqual(outdated, { id, version: 0, key: 0 })
  }
})

test('words are looked up however many traces memory holds', async () => {
  const world = new StoppedWorld()
  const createdAt = Date.UTC(2027, 0, 1)
  const publish = async (traces: readonly TraceRecord[], steps: readonly NewStep[]) => {
    await world.store.stage({ version, traces, steps, metricEvents: [] })
    world.store.publish(version)
  }
  version += 1
  const told = traceRecord(idAt('tr', createdAt, 7000), { createdAt, version, stepCount: 1 })
  await publish([told], [newStep(told, 0, { prepared: preparedStep({ texts: ['a refund'] }) })])
  await world.finish()
  version += 1
  const traces = Array.from({ length: 12_000 }, (_, index) =>
    traceRecord(idAt('tr', createdAt, index), { createdAt, version, stepCount: 1 }),
  )
  await publish(traces, [])
  const found = await world.store.findFeedCandidates({
    projectId: PROJECT,
    termGroups: [],
    bounds: [],
    steps: null,
    rates: null,
    words: ['refund'],
    lowestId: idAt('tr', createdAt),
    highestId: idAt('tr', createdAt, 100_000),
    created: null,
    among: null,
    sort: 'created_at',
    order: 'desc',
    atVersion: null,
    after: null,
    limit: 60,
  })
  assert.deepEqual(found, [{ id: told.id, version: 0, key: 0 }])
  await world.finish()
})

test('traces of however many months settle together', async () => {
  const world = new StoppedWorld()
  version += 1
  const traces = Array.from({ length: 150 }, (_, month) => {
    const createdAt = Date.UTC(2030, month, 1)
    return traceRecord(idAt('tr', createdAt, 1), { createdAt, version })
  })
  const steps = traces.map((trace) => newStep(trace, 0))
  await world.store.stage({ version, traces, steps, metricEvents: [] })
  world.store.publish(version)
  await world.finish()
  assert.deepEqual(await engine.select(`SELECT count() FROM steps WHERE ver = ${version}`), [[150]])
})
