import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { UNKNOWN_COST } from '../../ports/prices/price.ts'
import { MemoryTraceStore } from '../../ports/traces/memory-trace-store.test-support.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FeedCandidate, FeedCandidateQuery } from '../../ports/traces/trace-store.ts'
import { comparePositions, sortKey } from '../../traces/rules/candidate-order.ts'
import { EMPTY_DIGEST } from '../../traces/rules/trace-digest.ts'
import { BEGIN_MS, idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { LeadingTraces } from './leading-traces.ts'

const KEPT = 6
const PRICE = (factor: number): NonNullable<FeedCandidateQuery['rates']> => ({
  of: () => null,
  costKey: (usage) => (usage === null ? UNKNOWN_COST : (usage[0]?.tokens.input ?? 0) * factor),
  fingerprint: String(factor),
})
const ALL: FeedCandidateQuery = {
  projectId: PROJECT,
  termGroups: [],
  bounds: [],
  steps: null,
  rates: PRICE(1),
  words: null,
  lowestId: idAt('tr', 0),
  highestId: idAt('tr', BEGIN_MS + 1000),
  created: null,
  among: null,
  sort: 'cost_usd',
  order: 'desc',
  atVersion: null,
  after: null,
  limit: 3,
}

interface Change {
  /** Of a trace that exists; null for a new one. */
  readonly of: number | null
  readonly cost: number | null
  readonly deleted: boolean
  readonly elsewhere: boolean
}

class World {
  readonly store = new MemoryTraceStore()
  readonly leading = new LeadingTraces(KEPT)
  readonly newest: TraceRecord[] = []
  reads = 0
  /** Committed while the engine is read, one before and one after it has read. */
  beside: Change[] = []
  #version = 0

  commit({ of, cost, deleted, elsewhere }: Change): void {
    const place = of === null || this.newest.length === 0 ? this.newest.length : of % this.newest.length
    const before = this.newest[place]
    if (before?.deleted) return
    const tokens = { input: cost ?? 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const trace = traceRecord(before?.id ?? idAt('tr', BEGIN_MS + place, 1), {
      projectId: before?.projectId ?? (elsewhere ? OTHER_PROJECT : PROJECT),
      version: ++this.#version,
      deleted,
      digest: { ...EMPTY_DIGEST, usage: cost === null || deleted ? null : [{ model: 'm', tokens }] },
    })
    this.newest[place] = trace
    const commit = { version: trace.version, traces: [trace], steps: [], metricEvents: [] }
    this.store.add(commit)
    this.leading.add(commit)
  }

  find(fields: Partial<FeedCandidateQuery> = {}): Promise<FeedCandidate[]> {
    return this.leading.find({ ...ALL, ...fields }, async (query) => {
      this.reads += 1
      await Promise.resolve()
      for (const change of this.beside.splice(0, 1)) this.commit(change)
      const found = await this.store.findFeedCandidates(query)
      for (const change of this.beside.splice(0, 1)) this.commit(change)
      return found
    })
  }

  /** The traces of all pages that are as they are now, as a list of traces has them. */
  async walk(fields: Partial<FeedCandidateQuery>): Promise<readonly string[]> {
    const found: string[] = []
    for (let after: FeedCandidateQuery['after'] = null; ;) {
      const page = await this.find({ ...fields, after })
      const isNewest = ({ id, version }: FeedCandidate) =>
        this.newest.some((trace) => trace.id === id && trace.version === version && !trace.deleted)
      found.push(...page.filter(isNewest).map(({ id, key }) => `${id} ${key}`))
      const last = page.at(-1)
      if (last === undefined || page.length < (fields.limit ?? ALL.limit)) return found
      after = last
    }
  }

  expected(fields: Partial<FeedCandidateQuery>): readonly string[] {
    const query = { ...ALL, ...fields }
    return this.newest
      .filter(({ projectId, deleted }) => projectId === PROJECT && !deleted)
      .filter(({ id }) => id >= query.lowestId && id <= query.highestId)
      .map((trace) => ({ id: trace.id, key: sortKey(trace, query) }))
      .sort((a, b) => comparePositions(a, b, query))
      .map(({ id, key }) => `${id} ${key}`)
  }
}

const change = fc.record({
  of: fc.option(fc.nat(40), { freq: 2 }),
  // Many are equal.
  cost: fc.option(fc.nat(3), { freq: 4 }),
  deleted: fc.nat(7).map((number) => number === 0),
  elsewhere: fc.nat(5).map((number) => number === 0),
})
const changes = fc.array(change, { maxLength: 30 })

test('pages of leading traces are those of a brute force, whatever is committed between and during reads', async () => {
  const step = fc.record({
    before: changes,
    beside: changes,
    fields: fc.record({
      order: fc.constantFrom('asc', 'desc'),
      rates: fc.constantFrom(PRICE(1), PRICE(-1)),
      lowestId: fc.constantFrom(ALL.lowestId, ALL.lowestId, idAt('tr', BEGIN_MS + 4, 1)),
      // The lists that come first may have an end in time.
      highestId: fc.constantFrom(ALL.highestId, ALL.highestId, idAt('tr', BEGIN_MS + 6, 1)),
      limit: fc.integer({ min: 1, max: KEPT + 2 }),
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const world = new World()
      for (const { before, beside, fields } of steps) {
        for (const made of before) world.commit(made)
        world.beside = beside.slice(0, 2)
        await world.find(fields)
        world.beside = []
        assert.deepEqual(await world.walk(fields), world.expected(fields))
      }
    }),
    { numRuns: 400 },
  )
})

const costing = (cost: number | null, of: number | null = null): Change => ({
  of,
  cost,
  deleted: false,
  elsewhere: false,
})

const deleting = (of: number): Change => ({ ...costing(null, of), deleted: true })

test('after the first page the engine is not read for what leads, while traces come, change and go', async () => {
  const world = new World()
  for (let cost = 0; cost < 20; cost++) world.commit(costing(cost))
  const keys = async (fields = {}) => (await world.find(fields)).map(({ key }) => key)
  assert.deepEqual(await keys(), [19, 18, 17])
  world.commit(costing(30))
  world.commit(costing(1, 18))
  world.commit(deleting(19))
  assert.deepEqual(await keys(), [30, 17, 16])
  assert.deepEqual(await keys({ atVersion: 20 }), [17, 16, 15])
  assert.equal(world.reads, 1)
  // What is left of the kept ones is no page.
  for (const gone of [20, 17, 16]) world.commit(deleting(gone))
  world.store.merge()
  assert.deepEqual(await keys(), [15, 14, 13])
  assert.equal(world.reads, 2)
  assert.deepEqual(await keys({ rates: PRICE(2) }), [30, 28, 26])
  assert.equal(world.reads, 3)
})

test('deleted traces, the first without a cost, are not kept', async () => {
  const world = new World()
  for (let cost = 0; cost < KEPT; cost++) world.commit(costing(cost))
  await world.find({ order: 'asc' })
  world.commit(deleting(0))
  assert.deepEqual(
    (await world.find({ order: 'asc', limit: KEPT - 1 })).map(({ key }) => key),
    [1, 2, 3, 4, 5],
  )
})

test('a list of more than are kept is read once, and one after a read that failed is kept', async () => {
  const world = new World()
  await world.find({ limit: KEPT + 1 })
  assert.equal(world.reads, 1)
  const failing = () => Promise.reject(new Error('no memory'))
  await assert.rejects(world.leading.find(ALL, failing), /no memory/)
  for (let page = 0; page < 2; page++) await world.find()
  assert.equal(world.reads, 2)
})
