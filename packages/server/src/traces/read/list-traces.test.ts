import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { DomainError } from '../../lib/domain-error.ts'
import { sortKey } from '../rules/candidate-order.ts'
import { DeletedRuns } from './deleted-runs.ts'
import { NO_CLUSTERS } from './cluster-members.ts'
import { listTraces, type ListTracesDependencies } from './list-traces.ts'
import { SortedWalks } from './sorted-walks.ts'
import { BEGIN_MS, idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../trace-builders.test-support.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { createRates } from '../../pricing/pricer.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { FeedSort } from '../../ports/traces/trace-store.ts'
import type { FeedPage, FeedQuery } from '../use-cases.ts'

const ratesOf = createRates({ own: async () => NO_PRICES })
const NO_PRICES = new Map()
const SORTS: readonly FeedSort[] = ['created_at', 'duration_ms', 'total_tokens', 'step_count', 'cost_usd']

/** Changes between two pages. `at` selects one of the existing traces. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), tokens: fc.nat(3), failed: fc.boolean() }),
  fc.record({ kind: fc.constant('append' as const), at: fc.nat(), tokens: fc.nat(3), failed: fc.boolean() }),
  fc.record({ kind: fc.constant('patch' as const), at: fc.nat(), flagged: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('merge' as const), share: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('fail' as const),
    at: fc.nat(),
    stored: fc.constantFrom('nothing', 'steps', 'traces', 'everything' as const),
  }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

class Model {
  readonly world = new TraceWorld()
  readonly ids: TraceId[] = []
  readonly alive = new Set<TraceId>()

  async apply(happening: Change): Promise<void> {
    const { world } = this
    world.clock.advance(1)
    if (happening.kind === 'create') {
      const { id } = await world.commit({
        name: 't',
        started_at: time(0),
        ended_at: time(happening.tokens),
        steps: [stepOf(happening)],
      })
      this.ids.push(id)
      this.alive.add(id)
      return
    }
    if (happening.kind === 'merge')
      return world.memory.merge((id) => id.charCodeAt(id.length - 1) % happening.share === 0)
    const id = this.ids[happening.at % this.ids.length]
    if (id === undefined || !this.alive.has(id)) return
    if (happening.kind === 'append') await world.appendSteps(id, stepOf(happening))
    if (happening.kind === 'patch')
      await world.service.useCases.patch(PROJECT, id, { status: null, flagged: happening.flagged, reason: null })
    if (happening.kind === 'delete') {
      await world.service.useCases.delete(PROJECT, id)
      this.alive.delete(id)
    }
    if (happening.kind === 'fail') {
      world.memory.failures += 1
      const [verdict] = await world.appendSteps(id, stepOf({ tokens: 1, failed: false }))
      assert.equal(verdict?.status, 'error')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async record(id: TraceId): Promise<TraceRecord> {
    return (await this.world.service.useCases.read(PROJECT, id)).trace
  }

  /** Existing rows that match, in the order in which a walk that begins now must return them. */
  async expected(query: Pick<FeedQuery, 'sort' | 'order' | 'status'>): Promise<TraceId[]> {
    const rows: { id: TraceId; key: number }[] = []
    const rates = await ratesOf(PROJECT)
    for (const id of this.alive) {
      const trace = await this.record(id)
      if (query.status === null || trace.status === query.status)
        rows.push({ id, key: sortKey(trace, { sort: query.sort, rates }) })
    }
    rows.sort((a, b) => a.key - b.key || (a.id < b.id ? -1 : 1))
    return (query.order === 'asc' ? rows : rows.toReversed()).map(({ id }) => id)
  }
}

function time(ms: number): string {
  return new Date(1_000_000 + ms).toISOString()
}

function stepOf({ tokens, failed }: { tokens: number; failed: boolean }) {
  const step = {
    name: 's',
    model: 'gpt-4o',
    token_usage: { input: tokens },
    started_at: time(0),
    ended_at: time(tokens * 10),
  }
  return failed ? { ...step, status: 'error' } : step
}

for (const sort of SORTS) {
  for (const order of ['asc', 'desc'] as const) {
    test(`a walk by ${sort} ${order} returns once every row that existed when it began, whatever is written meanwhile`, async () => {
      const plan = fc.record({
        before: fc.array(change, { minLength: 3, maxLength: 14 }),
        between: fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        limit: fc.integer({ min: 1, max: 3 }),
        status: fc.constantFrom(null, 'ok', 'error' as const),
      })
      await fc.assert(
        fc.asyncProperty(plan, async ({ before, between, limit, status }) => {
          const model = new Model()
          for (const happening of before) await model.apply(happening)
          const atBegin = await model.expected({ sort, order, status })
          const walked: TraceId[] = []
          let cursor: string | null = null
          for (let page = 0; page === 0 || cursor !== null; page++) {
            const answer: Awaited<ReturnType<TraceWorld['list']>> = await model.world.list({
              sort,
              order,
              limit,
              status,
              cursor,
            })
            assert.ok(answer.traces.length <= limit)
            walked.push(...answer.traces.map(({ id }) => id))
            cursor = answer.nextCursor
            for (const happening of between[page] ?? []) await model.apply(happening)
          }
          assert.equal(new Set(walked).size, walked.length, 'a row came twice')
          const still = new Set(await model.expected({ sort, order, status }))
          const seen = new Set(walked)
          for (const id of atBegin) assert.ok(seen.has(id) || !still.has(id), `${id} was missed`)
          const known = new Set(atBegin)
          const ordered = atBegin.filter((id) => seen.has(id))
          assert.deepEqual(
            walked.filter((id) => known.has(id)),
            ordered,
            'in the order at its beginning',
          )
        }),
        { numRuns: 60 },
      )
    })
  }
}

test('a page is full and says whether more follow; an empty list has no cursor', async () => {
  const world = new TraceWorld()
  assert.deepEqual(await world.list(), { traces: [], snippets: null, nextCursor: null })
  for (let index = 0; index < 4; index++) await world.commit({ name: `t${index}` })
  const names = async (fields: Partial<FeedQuery>) => {
    const { traces, nextCursor } = await world.list(fields)
    return [traces.map(({ name }) => name).join(' '), nextCursor !== null]
  }
  assert.deepEqual(await names({ limit: 4 }), ['t3 t2 t1 t0', false])
  assert.deepEqual(await names({ limit: 3 }), ['t3 t2 t1', true])
  const { nextCursor } = await world.list({ limit: 3 })
  assert.deepEqual(await names({ limit: 3, cursor: nextCursor }), ['t0', false])
  assert.deepEqual(await names({ projectId: OTHER_PROJECT }), ['', false])
})

test('start time is inclusive, end time exclusive', async () => {
  const world = new TraceWorld()
  const times: number[] = []
  for (let index = 0; index < 3; index++) {
    world.clock.advance(10)
    times.push((await world.commit({ name: `t${index}` })).committedAt)
  }
  for (const sort of SORTS) {
    const { traces } = await world.list({ sort, startTime: times[1]!, endTime: times[2]! })
    assert.deepEqual(
      traces.map(({ name }) => name),
      ['t1'],
    )
    assert.deepEqual((await world.list({ sort, startTime: times[2]!, endTime: times[1]! })).traces, [])
  }
})

test('text matches words of the name or words of one step', async () => {
  const world = new TraceWorld()
  const messages = (text: string) => [{ role: 'user', content: [{ type: 'text', text }] }]
  await world.commit({ name: 'Refund a flight' })
  await world.commit({ name: 'b', steps: [{ name: 's', messages: messages('the FLIGHT, refund it') }] })
  await world.commit({ name: 'c', steps: [{ name: 'flight' }, { name: 'refund' }] })
  for (const sort of SORTS) {
    const { traces } = await world.list({ sort, order: 'asc', text: 'flight refund' })
    assert.deepEqual(traces.map(({ name }) => name).sort(), ['Refund a flight', 'b'])
  }
  await assert.rejects(world.list({ text: '…!' }), { code: 'validation_failed' })
  await assert.rejects(new TraceWorld({ fullText: false }).list({ text: 'a' }), { code: 'full_text_disabled' })
})

test('a cursor is valid for its query only; a walk by a changing key expires after an hour, one by creation never', async () => {
  const world = new TraceWorld()
  for (let index = 0; index < 3; index++) await world.commit({ name: 't' })
  const cursorOf = async (sort: FeedSort) => (await world.list({ sort, limit: 1 })).nextCursor
  const [byTime, bySteps] = [await cursorOf('created_at'), await cursorOf('step_count')]
  await assert.rejects(world.list({ cursor: bySteps }), { code: 'invalid_cursor' })
  await assert.rejects(world.list({ cursor: byTime, status: 'ok' }), { code: 'invalid_cursor' })
  await assert.rejects(world.list({ cursor: byTime, projectId: OTHER_PROJECT }), { code: 'invalid_cursor' })
  for (const cursor of ['', 'x', 'bnVsbA', Buffer.from('["tr_x",1,2,3]').toString('base64url')])
    await assert.rejects(
      world.list({ cursor }),
      (error) => error instanceof DomainError && error.code === 'invalid_cursor',
    )
  world.clock.advance(60 * 60 * 1000)
  assert.equal((await world.list({ cursor: byTime })).traces.length, 2)
  await assert.rejects(world.list({ sort: 'step_count', cursor: bySteps }), { code: 'cursor_expired' })
})

test('a trace with more versions of one key than a page has rows is not lost', async () => {
  const world = new TraceWorld()
  const ids = [(await world.commit({ name: 'first' })).id, (await world.commit({ name: 'second' })).id]
  for (let index = 0; index < 12; index++) await world.service.useCases.patch(PROJECT, ids[0]!, FLAG)
  const { traces, nextCursor } = await world.list({ sort: 'step_count', limit: 1 })
  const rest = await world.list({ sort: 'step_count', limit: 1, cursor: nextCursor })
  assert.deepEqual(
    [...traces, ...rest.traces].map(({ id }) => id),
    ids.toReversed(),
  )
})

test('a walk continues over a commit that failed and was rolled back', async () => {
  const world = new TraceWorld()
  const ids = [(await world.commit({ name: 'first' })).id, (await world.commit({ name: 'second' })).id]
  const { nextCursor } = await world.list({ sort: 'step_count', limit: 1 })
  world.memory.failures += 1
  await assert.rejects(world.service.useCases.patch(PROJECT, ids[0]!, FLAG), { code: 'storage_unavailable' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(world.problems, ['commit failed', 'repaired'])
  const { traces } = await world.list({ sort: 'step_count', limit: 1, cursor: nextCursor })
  assert.deepEqual(
    traces.map(({ id, flagged }) => [id, flagged]),
    [[ids[0], false]],
  )
})

test('a sorted walk with words returns only rows with the words, also for rows that changed meanwhile', async () => {
  const world = new TraceWorld()
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'a foo' }] }]
  await world.commit({ name: 'foo one', steps: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
  const told = await world.commit({ name: 'told', steps: [{ name: 'a', messages }, { name: 'b' }] })
  const named = await world.commit({ name: 'foo two', steps: [{ name: 'a' }] })
  const other = await world.commit({ name: 'bar', steps: [{ name: 'a' }] })
  const query = { text: 'foo', sort: 'step_count', order: 'desc', limit: 1 } as const
  const first = await world.list(query)
  for (const { id } of [other, told, named]) await world.appendSteps(id, { name: 'x' }, { name: 'y' }, { name: 'z' })
  world.memory.merge()
  const second = await world.list({ ...query, limit: 10, cursor: first.nextCursor })
  assert.deepEqual(
    [...first.traces, ...second.traces].map(({ name }) => name),
    ['foo one', 'told', 'foo two'],
  )
})

test('a sorted walk that begins during a commit sees the rows before it', async () => {
  const world = new TraceWorld()
  const steps = (count: number) => Array.from({ length: count }, () => ({ name: 's' }))
  for (const count of [3, 2]) await world.commit({ name: `t${count}`, steps: steps(count) })
  const { id } = await world.commit({ name: 't1', steps: steps(1) })
  // So that no walk is still in progress.
  world.clock.advance(2 * 60 * 60 * 1000)
  const [writing, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  world.memory.beforeStage = () => (writing.resolve(), slow.promise)
  const appending = world.appendSteps(id, ...steps(5))
  await writing.promise
  const query = { sort: 'step_count', order: 'desc', limit: 1 } as const
  const first = await world.list(query)
  slow.resolve()
  await appending
  const rest = await world.list({ ...query, limit: 10, cursor: first.nextCursor })
  assert.deepEqual(
    [...first.traces, ...rest.traces].map(({ name }) => name),
    ['t3', 't2', 't1'],
  )
})

test('previous sort keys are not written while no walk is in progress', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 't', steps: [{ name: 's' }] })
  world.clock.advance(2 * 60 * 60 * 1000)
  await world.appendSteps(id, { name: 's' })
  assert.deepEqual(await world.journal.supersededAt(PROJECT, 1), [])
})

test('a request examines a limited number of candidates: a rare filter gives short pages, and each row once', async () => {
  const begin = BEGIN_MS
  const all = Array.from({ length: 50_000 }, (_, index) => idAt('tr', begin + index, 1)).toReversed()
  const rare = new Set([all[5]!, all[6]!, all[45_000]!])
  let [read, mostRead] = [0, 0]
  const store: ListTracesDependencies['store'] = {
    findStepHits: async () => [],
    findFeedCandidates: async ({ after, limit }) => {
      const from = after === null ? 0 : all.indexOf(after.id) + 1
      return all.slice(from, from + limit).map((id) => ({ id, version: 0, key: 0 }))
    },
    findTraces: async (_projectId, ids) => {
      read += ids.length
      return ids.map((id) => traceRecord(id, { flagged: !rare.has(id) }))
    },
    findScored: async () => new Set(),
    findScoredBounds: async () => null,
  }
  const dependencies: ListTracesDependencies = {
    store,
    journal: {
      supersededAt: async () => [],
      removedEvents: async () => new Set(),
      deletedAmong: async () => new Set<TraceId>(),
    },
    deletedRuns: new DeletedRuns(),
    watermark: () => ({ version: 1, lastTraceId: all[0]!, idLeadMs: 0 }),
    walks: new SortedWalks(begin),
    clusters: NO_CLUSTERS,
    ratesOf,
    metricIdOf: async () => null,
    clock: { now: () => begin },
    lowestIdAt: (ms) => idAt('tr', ms, 0),
    fullText: true,
  }
  const query = { ...new TraceWorld().everything, flagged: false, limit: 2 }
  const pages: number[] = []
  const seen: TraceId[] = []
  let cursor: string | null = null
  do {
    read = 0
    const page: FeedPage = await listTraces(dependencies, { ...query, cursor })
    mostRead = Math.max(mostRead, read)
    pages.push(page.traces.length)
    seen.push(...page.traces.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  assert.deepEqual(seen, [...rare])
  assert.deepEqual(pages, [2, 0, 1])
  assert.ok(mostRead <= 20_000 + 256, `${mostRead} rows were read for one page`)
})

test('the journal is queried for changed rows once for a page while nothing is committed', async () => {
  const world = new TraceWorld()
  const ids: TraceId[] = []
  for (let index = 0; index < 600; index++) ids.push((await world.commit({ name: 't', steps: [{ name: 's' }] })).id)
  const query = { sort: 'step_count', order: 'asc', limit: 1 } as const
  const { nextCursor } = await world.list(query)
  for (const id of ids) await world.appendSteps(id, { name: 's' })
  let asked = 0
  const { supersededAt } = world.journal
  world.journal.supersededAt = (...given) => {
    asked += 1
    return supersededAt.apply(world.journal, given)
  }
  const { traces } = await world.list({ ...query, limit: 599, cursor: nextCursor })
  assert.deepEqual([traces.length, asked], [599, 1])
})

test('a walk by cost ends when a price changes; one by another key goes on', async () => {
  const world = new TraceWorld()
  for (const input of [1, 3, 2]) await world.commit({ name: `t${input}`, steps: [used('gpt-4o', input)] })
  await world.commit({ name: 'own', steps: [used('house', 1)] })
  const names = async (fields: Partial<FeedQuery>) => {
    const { traces, nextCursor } = await world.list(fields)
    return { names: traces.map(({ name }) => name).join(' '), cursor: nextCursor }
  }
  const byCost = { sort: 'cost_usd', limit: 2 } as const
  const first = await names(byCost)
  assert.equal(first.names, 't3 t2')
  assert.equal((await names({ ...byCost, cursor: first.cursor })).names, 't1 own')
  assert.equal((await names({ ...byCost, minCostUsd: 0.000005 })).names, 't3 t2')
  assert.equal((await names({ maxCostUsd: 0.000005 })).names, 't2 t1', 'without a cost it is within no bounds')
  const byTokens = await names({ sort: 'total_tokens', limit: 2 })
  const rates = { input: 1e6, output: 0, cacheRead: null, cacheWrite: null }
  world.prices = new Map([['house', { model: 'house', ...rates, updatedAt: 1 }]])
  await assert.rejects(names({ ...byCost, cursor: first.cursor }), { code: 'cursor_expired' })
  assert.equal((await names(byCost)).names, 'own t3')
  assert.equal((await names({ sort: 'total_tokens', limit: 2, cursor: byTokens.cursor })).names, 'own t1')
})

function used(model: string, input: number) {
  return { name: 's', type: 'llm', model, token_usage: { input } }
}

const FLAG = { status: null, flagged: true, reason: null }

const BEGIN = Date.UTC(2026, 0, 1)
const THOUSAND = Array.from({ length: 1000 }, (_, index) => idAt('tr', BEGIN, 1000 - index))

/** Lists over these traces, the newest first; `asked`: how many candidates each look found. */
function listsOver(all: readonly TraceId[], deleted: ReadonlySet<TraceId>) {
  const asked: number[] = []
  const dependencies: ListTracesDependencies = {
    store: {
      findStepHits: async () => [],
      findFeedCandidates: async ({ after, highestId, lowestId, order, limit }) => {
        const ordered = order === 'desc' ? all : all.toReversed()
        const behind = (id: TraceId) => after === null || (order === 'desc' ? id < after.id : id > after.id)
        const found = ordered.filter((id) => id <= highestId && id >= lowestId && behind(id)).slice(0, limit)
        asked.push(found.length)
        return found.map((id) => ({ id, version: 0, key: 0 }))
      },
      findTraces: async (_projectId, ids) => {
        assert.ok(!ids.some((id) => deleted.has(id)), 'a wide row of a deleted trace')
        return ids.map((id) => traceRecord(id))
      },
      findScored: async () => new Set(),
      findScoredBounds: async () => null,
    },
    journal: {
      supersededAt: async () => [],
      removedEvents: async () => new Set(),
      deletedAmong: async (ids) => new Set(ids.filter((id) => deleted.has(id))),
    },
    deletedRuns: new DeletedRuns(),
    watermark: () => ({ version: 1, lastTraceId: all[0]!, idLeadMs: 0 }),
    walks: new SortedWalks(BEGIN),
    clusters: NO_CLUSTERS,
    ratesOf,
    metricIdOf: async () => null,
    clock: { now: () => BEGIN },
    lowestIdAt: (ms) => idAt('tr', ms, 0),
    fullText: true,
  }
  return { dependencies, asked }
}

test('wide rows of deleted traces are not read, and only the first list walks through a run of them', async () => {
  const all = THOUSAND
  const deleted = new Set([...all.slice(3, 700), ...all.slice(800, 810)])
  const { dependencies, asked } = listsOver(all, deleted)
  const { everything } = new TraceWorld()
  const living = all.filter((id) => !deleted.has(id))
  for (const [order, expected] of [
    ['desc', living],
    ['asc', living.toReversed()],
  ] as const) {
    for (const limit of [5, 200]) {
      const { traces } = await listTraces(dependencies, { ...everything, order, limit })
      assert.deepEqual(
        traces.map(({ id }) => id),
        expected.slice(0, limit),
      )
    }
  }
  asked.length = 0
  await listTraces(dependencies, { ...everything, order: 'desc', limit: 5 })
  assert.ok(asked.reduce((sum, count) => sum + count, 0) < 50, `${asked} candidates for a page of 5`)
  asked.length = 0
  await listTraces(dependencies, { ...everything, order: 'desc', limit: 5, flagged: false })
  assert.ok(asked.reduce((sum, count) => sum + count, 0) <= 1000)
})

test('where every other trace is deleted, the next list of the kind asks for enough at once', async () => {
  const { dependencies, asked } = listsOver(THOUSAND, new Set(THOUSAND.filter((_, at) => at % 2 === 0)))
  const { everything } = new TraceWorld()
  const looks = async (fields: Partial<typeof everything>) => {
    asked.length = 0
    await listTraces(dependencies, { ...everything, limit: 50, ...fields })
    return [...asked]
  }
  assert.deepEqual(await looks({ order: 'desc' }), [62, 124])
  assert.deepEqual(await looks({ order: 'desc' }), [102])
  assert.deepEqual(await looks({ order: 'asc' }), [62, 124])
  assert.equal((await looks({ order: 'desc', flagged: true }))[0], 62)
})
