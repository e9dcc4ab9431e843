import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { systemTimers } from '../../lib/time/timers.ts'
import { MemoryTraceStore } from '../../ports/traces/memory-trace-store.test-support.ts'
import { testTraceStore } from '../../ports/traces/trace-store.conformance.ts'
import type { FeedCandidateQuery, NewStep, StoredCommit } from '../../ports/traces/trace-store.ts'
import { runTypeTerm } from '../../traces/rules/terms.ts'
import {
  BEGIN_MS,
  idAt,
  newStep,
  OTHER_PROJECT,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../traces/trace-builders.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { noLog } from '../embedded/log/no-log.test-support.ts'
import { LoggedTraceStore } from '../embedded/logged-trace-store.ts'
import { NewestTraces } from './newest-traces.ts'
import { leastPackedBytes, packSteps } from './packed-steps.ts'
import { RECORDED_AT_ONCE } from '../embedded/recorded-at-once.test-support.ts'

const engine = await temporaryEngine()
const failTest = (error: unknown): never => {
  throw error
}
const store = new LoggedTraceStore(new ClickHouseTraceStore(engine), noLog(), {
  ...RECORDED_AT_ONCE,
  // Every trace counts as a new one: memory answers for all of them.
  lastTraceId: null,
  committedVersion: 0,
  fullText: true,
  timers: systemTimers,
  onSettledAtStart: () => undefined,
  onError: failTest,
  onReleaseError: failTest,
  onRecovered: () => undefined,
})
let committed = 0

testTraceStore(() => ({
  store,
  write: async (traces, steps, metricEvents = []) => {
    await store.settle()
    committed += 1
    await store.stage({ version: committed, traces, steps, metricEvents })
    store.publish(committed)
  },
  merge: async () => {
    await store.settle()
    await engine.command('OPTIMIZE TABLE traces FINAL')
  },
}))

const idOf = (number: number): TraceId => idAt('tr', BEGIN_MS + number, number)

/** What one commit does: new traces of either project, then steps or a deletion of earlier ones. */
const change = fc.record({
  created: fc.array(fc.record({ foreign: fc.boolean(), bodies: fc.array(fc.nat(400), { maxLength: 3 }) }), {
    maxLength: 3,
  }),
  changed: fc.array(fc.record({ back: fc.nat(8), bodies: fc.array(fc.nat(400), { maxLength: 2 }) }), { maxLength: 2 }),
  deleted: fc.option(fc.nat(8), { nil: null, freq: 5 }),
})

const query = fc.record({
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.integer({ min: 1, max: 6 }),
  lowest: fc.option(fc.nat(40), { nil: null }),
  highest: fc.option(fc.nat(40), { nil: null }),
  after: fc.option(fc.nat(40), { nil: null }),
  runType: fc.option(fc.constantFrom('even', 'odd'), { nil: null }),
  mostSteps: fc.option(fc.nat(3), { nil: null, freq: 2 }),
})

test('what memory answers is what all commits say, whatever was evicted', async () => {
  let covered = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 15 }), fc.array(query), async (changes, queries) => {
      const newest = new NewestTraces(null, { ringBytes: 6000, mostTraces: 6, mostExamined: 3 })
      const all = new MemoryTraceStore()
      const history = new History()
      for (const one of changes) {
        const commit = history.commit(one)
        newest.add(commit)
        all.add(commit)
      }
      const { count } = history
      for (let number = 0; number < count; number++) {
        const traceId = idOf(number)
        if (!newest.covers(PROJECT, traceId)) continue
        covered += 1
        for (const projectId of [PROJECT, OTHER_PROJECT]) {
          const [trace] = await all.findTraces(projectId, [traceId], Infinity)
          assert.deepEqual(newest.find(projectId, traceId), trace)
          const range = { projectId, traceId, fromPosition: 1, limit: 2, maxVersion: changes.length - 1 }
          const steps = newest.steps(range)
          if (steps !== null) assert.deepEqual(steps, await all.findSteps(range))
        }
      }
      for (const one of queries) {
        const asked = queryOf(one)
        const page = newest.page(asked)
        if (page === null) continue
        const rest = page.rest === null ? [] : await all.findFeedCandidates(page.rest)
        const expected = await all.findFeedCandidates(asked)
        assert.deepEqual(
          [...page.candidates, ...rest].map(({ id }) => id),
          expected.map(({ id }) => id),
        )
      }
    }),
    { numRuns: 300 },
  )
  assert.ok(covered > 1000)
})

type Query = typeof query extends fc.Arbitrary<infer T> ? T : never
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function queryOf({ order, limit, lowest, highest, after, runType, mostSteps }: Query): FeedCandidateQuery {
  return {
    projectId: PROJECT,
    termGroups: runType === null ? [] : [[runTypeTerm(runType)]],
    bounds: mostSteps === null ? [] : [{ measure: 'step_count', side: 'max', value: mostSteps }],
    steps: null,
    rates: null,
    words: null,
    lowestId: lowest === null ? idAt('tr', 0) : idOf(lowest),
    highestId: highest === null ? idAt('tr', 2 ** 47) : idOf(highest),
    created: null,
    among: null,
    sort: 'created_at',
    order,
    atVersion: null,
    after: after === null ? null : { key: 0, id: idOf(after) },
    limit,
  }
}

/** Makes commits: ids grow with them, and steps follow one another. */
class History {
  count = 0
  #version = 0
  readonly #traces: { readonly projectId: ProjectId; steps: number }[] = []

  commit({ created, changed, deleted }: Change): StoredCommit {
    this.#version += 1
    const plans = new Map<number, { readonly bodies: readonly number[]; readonly isDeleted: boolean }>()
    for (const { back, bodies } of changed) plans.set(this.count - 1 - back, { bodies, isDeleted: false })
    if (deleted !== null) plans.set(this.count - 1 - deleted, { bodies: [], isDeleted: true })
    for (const number of plans.keys()) if (number < 0) plans.delete(number)
    for (const { foreign, bodies } of created) {
      this.#traces.push({ projectId: foreign ? OTHER_PROJECT : PROJECT, steps: 0 })
      plans.set(this.count, { bodies, isDeleted: false })
      this.count += 1
    }
    const steps: NewStep[] = []
    const traces = [...plans].map(([number, { bodies, isDeleted }]) => {
      const of = this.#traces[number]!
      const trace = traceRecord(idOf(number), {
        version: this.#version,
        projectId: of.projectId,
        runType: number % 2 === 0 ? 'even' : 'odd',
        deleted: isDeleted,
      })
      for (const size of bodies) {
        const body = Buffer.from(JSON.stringify({ metadata: { text: 'é'.repeat(size) } }))
        steps.push(newStep(trace, of.steps++, { prepared: preparedStep({ body }) }))
      }
      return trace
    })
    return { version: this.#version, traces, steps, metricEvents: [] }
  }
}

test('the steps of a huge trace are not packed to find that they are too many', () => {
  const newest = new NewestTraces(null)
  const trace = traceRecord(idOf(1))
  let packed = 0
  const prepared = {
    ...preparedStep(),
    get name() {
      packed += 1
      return 's'
    },
  }
  const step = { ...newStep(trace, 0), prepared }
  const commitOf = (count: number) => ({
    version: 1,
    traces: [trace],
    steps: Array.from({ length: count }, () => step),
    metricEvents: [],
  })
  newest.add(commitOf(1))
  assert.equal(packed, 1)
  newest.add(commitOf(20_000))
  assert.equal(packed, 1)
})

test('steps take at least the bytes that are expected', () => {
  const steps = [newStep(traceRecord(idOf(1)), 0)]
  assert.ok(packSteps(steps).length >= leastPackedBytes(steps))
})

const EVERYTHING: FeedCandidateQuery = {
  projectId: PROJECT,
  termGroups: [],
  bounds: [],
  steps: null,
  rates: null,
  words: null,
  lowestId: idOf(0),
  highestId: idOf(9),
  created: null,
  among: null,
  sort: 'created_at',
  order: 'desc',
  atVersion: null,
  after: null,
  limit: 10,
}

test('of projects whose commits were missed, nothing through the last trace is covered', () => {
  const groupOf = (projectId: ProjectId) => (projectId === PROJECT ? 1 : 2)
  const newest = new NewestTraces(null, { groupOf })
  const add = (number: number, projectId: ProjectId) =>
    newest.add({ version: number, traces: [traceRecord(idOf(number), { projectId })], steps: [], metricEvents: [] })
  add(1, PROJECT)
  add(2, OTHER_PROJECT)
  newest.miss(new Set([1]), idOf(4))
  add(5, PROJECT)
  const covered = (projectId: ProjectId) => [1, 4, 5].map((number) => newest.covers(projectId, idOf(number)))
  assert.deepEqual(covered(PROJECT), [false, false, true])
  assert.deepEqual(covered(OTHER_PROJECT), [true, true, true])
  const page = newest.page(EVERYTHING)
  assert.deepEqual(
    page?.candidates.map(({ id }) => id),
    [idOf(5)],
  )
  assert.equal(page?.rest?.highestId, idOf(4))
  const other = newest.page({ ...EVERYTHING, projectId: OTHER_PROJECT })
  assert.deepEqual([other?.candidates.map(({ id }) => id), other?.rest], [[idOf(2)], null])
})
