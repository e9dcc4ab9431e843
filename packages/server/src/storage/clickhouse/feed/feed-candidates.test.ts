import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { timeOfId } from '../../../lib/ids/ids.ts'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { MemoryTraceStore } from '../../../ports/traces/memory-trace-store.test-support.ts'
import { isWithin } from '../../../traces/rules/trace-bounds.ts'
import { flaggedTerm, modelTerm, statusTerm, traceTerms } from '../../../traces/rules/terms.ts'
import {
  idAt,
  newStep,
  OTHER_PROJECT,
  PROJECT,
  preparedStep,
  traceRecord,
} from '../../../traces/trace-builders.test-support.ts'
import type { FeedCandidate, FeedCandidateQuery, StoredCommit, TraceReads } from '../../../ports/traces/trace-store.ts'
import { ClickHouseTraceStore } from '../rows/clickhouse-trace-store.ts'
import { sortKey } from '../../../traces/rules/candidate-order.ts'
import { findFeedCandidates } from './feed-candidates.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { LoggedTraceStore } from '../../embedded/logged-trace-store.ts'
import { noLog } from '../../embedded/log/no-log.test-support.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { RECORDED_AT_ONCE } from '../../embedded/recorded-at-once.test-support.ts'
import { times } from '../../../lib/times.test-support.ts'

const NOON = Date.UTC(2026, 2, 1, 12)
const HOUR = 3_600_000
const BASE: FeedCandidateQuery = {
  projectId: PROJECT,
  termGroups: [],
  bounds: [],
  steps: null,
  rates: null,
  words: null,
  lowestId: idAt('tr', 0),
  highestId: idAt('tr', NOON, 7),
  created: null,
  among: null,
  sort: 'created_at',
  order: 'desc',
  atVersion: null,
  after: null,
  limit: 3,
}

/** Answers each statement by `answer`, and records it. */
function recording(
  answer: (sql: string) => readonly (readonly unknown[])[] | Promise<readonly (readonly unknown[])[]> = () => [],
) {
  const statements: string[] = []
  const engine: TelemetryEngine = {
    select: async (sql) => {
      statements.push(sql)
      return answer(sql)
    },
    selectParquet: () => assert.fail('no export'),
    command: () => assert.fail('a read'),
    insert: () => assert.fail('a read'),
    close: async () => undefined,
  }
  return { engine, statements }
}

async function statementsOf(fields: Partial<FeedCandidateQuery>): Promise<string[]> {
  const { engine, statements } = recording()
  await findFeedCandidates(engine, { ...BASE, ...fields })
  return statements
}

const PROJECT_IS = `project_id = '${PROJECT}'`
const ANY = `${PROJECT_IS} AND id >= '${BASE.lowestId}' AND id <= '${BASE.highestId}'`

const EDGE = `SELECT id FROM traces WHERE ${ANY} ORDER BY id DESC LIMIT 1 OFFSET 2000`

test('the newest page is one bounded read of whole rows by the primary key, behind the edge of its window', async () => {
  assert.deepEqual(await statementsOf({}), [
    EDGE,
    `SELECT id, ver, record, metadata FROM traces WHERE ${ANY} ORDER BY id desc LIMIT 11`,
  ])
  assert.deepEqual(await statementsOf({ limit: 257 }), [
    EDGE,
    `SELECT id FROM traces WHERE ${ANY} ORDER BY id desc LIMIT 514 SETTINGS use_skip_indexes = 0`,
  ])
})

test('a page behind a cursor', async () => {
  const id = idAt('tr', NOON - 5)
  assert.deepEqual(await statementsOf({ after: { key: 0, id } }), [
    EDGE.replace(BASE.highestId, id),
    `SELECT id, ver, record, metadata FROM traces WHERE ${PROJECT_IS} AND id >= '${BASE.lowestId}' AND id <= '${id}' ` +
      `AND id != '${id}' ORDER BY id desc LIMIT 11`,
  ])
})

test('filters read the columns of the newest rows first, then of all, by the index', async () => {
  const edge = idAt('tr', NOON - HOUR, 5)
  const { engine, statements } = recording((sql) => (isBound(sql) ? [[edge]] : []))
  await findFeedCandidates(engine, { ...BASE, termGroups: [['s\0error'], ['k\0it\'s\0"1"', 'h\0x'], ['f']] })
  const conditions = `status = 'error' AND (meta['it\\'s'] = '"1"' OR meta['x'] != '') AND flagged = 1`
  const indexed = `hasAll(terms, ['s\\0error', 'f']) AND hasAny(terms, ['k\\0it\\'s\\0"1"', 'h\\0x'])`
  const page = (within: string, passing: string, settings: string) =>
    `SELECT id, ver, record, metadata FROM traces PREWHERE ${PROJECT_IS} AND id IN (SELECT DISTINCT id FROM traces ` +
    `WHERE ${PROJECT_IS} AND ${within} AND ${passing} ORDER BY id desc LIMIT 3)${settings}`
  assert.deepEqual(statements, [
    EDGE,
    page(`id >= '${edge}' AND id <= '${BASE.highestId}'`, conditions, ' SETTINGS use_skip_indexes = 0'),
    page(`id >= '${BASE.lowestId}' AND id <= '${predecessor(edge)}'`, indexed, ''),
  ])
})

test('words with a filter are searched among the steps of the traces that pass it, if those are few', async () => {
  const pages = async (passing: number) => {
    const { engine, statements } = recording((sql) => (isCount(sql) ? [[passing]] : []))
    await findFeedCandidates(engine, { ...BASE, words: ['a'], termGroups: [['f']] })
    assert.equal(statements.filter(isCount).length, 1, 'once for each window')
    return statements.filter((sql) => !isCount(sql) && !isBound(sql))
  }
  const few = await pages(4096)
  assert.equal(few.length, 1)
  assert.match(few[0]!, /trace_id IN \(SELECT id FROM traces WHERE [^()]*flagged = 1\) AND hasAllTokens/)
  assert.match(few[0]!, /flagged = 1 AND hasAll\(terms, \['w\\0a'\]\)/)
  const many = await pages(4097)
  assert.equal(many.length, 1)
  assert.doesNotMatch(many[0]!, / IN /)
  assert.match(many[0]!, /flagged = 1 AND hasAll\(terms, \['w\\0a'\]\)/)
  assert.deepEqual(await pages(0), [], 'no words are searched where nothing passes')
})

test('a window that exceeds the memory of a read is read in narrower ones, and nothing is left out', async () => {
  const ids = Array.from({ length: 40_000 }, (_, n) => idAt('tr', NOON - n, 0))
  const { engine, statements } = recording((sql) => {
    const at = ids.findIndex((id) => id <= idsOf(sql)[1])
    if (isBound(sql)) return ids.slice(at + 2000, at + 2001).map((id) => [id])
    const read = ids.slice(at).filter((id) => id >= idsOf(sql)[0])
    if (read.length > 20_000) throw Object.assign(new Error('memory'), { clickhouseCode: 241 })
    return []
  })
  assert.deepEqual(await findFeedCandidates(engine, { ...BASE, words: ['a'] }), [])
  const windows = statements.filter((sql) => !isBound(sql)).map(idsOf)
  assert.ok(windows.length > 3)
  assert.equal(windows.at(-1)?.[0], BASE.lowestId)
  const failing = recording((sql) => {
    if (isBound(sql)) return [[idAt('tr', 5)]]
    throw Object.assign(new Error('memory'), { clickhouseCode: 241 })
  })
  await assert.rejects(findFeedCandidates(failing.engine, { ...BASE, words: ['a'] }), /memory/)
})

test('of a window that fails after its first rows, no trace is found twice', async () => {
  const id = idAt('tr', NOON - HOUR)
  let failures = 0
  const { engine } = recording((sql) => {
    if (isBound(sql)) return sql.includes(BASE.highestId) ? [[idAt('tr', NOON - 1)]] : []
    if (idsOf(sql)[1] === BASE.highestId) return []
    // As many versions as one statement reads.
    if (!sql.includes(`id < '${id}'`)) return Array.from({ length: 11 }, (_, version) => [id, version, '', ''])
    failures += 1
    if (failures === 1) throw Object.assign(new Error('memory'), { clickhouseCode: 241 })
    return []
  })
  assert.deepEqual(await findFeedCandidates(engine, BASE), [{ id, version: 0, key: 0 }])
  assert.equal(failures, 2)
})

test('a sort by a changing key', async () => {
  const id = idAt('tr', 5)
  assert.deepEqual(
    await statementsOf({
      sort: 'total_tokens',
      order: 'asc',
      atVersion: 9,
      after: { key: -1, id },
      words: ['a', 'b'],
      termGroups: [['f']],
    }),
    [
      `SELECT id, ver, total_tokens AS sort_key FROM traces WHERE ${ANY} AND flagged = 1 AND ver <= 9 AND ` +
        `(sort_key > -1 OR (sort_key = -1 AND id > '${id}')) AND (hasAll(terms, ['w\\0a', 'w\\0b']) OR cityHash64(id) IN (SELECT cityHash64(trace_id) FROM steps PREWHERE hasAllTokens(concat(lower(text), ' ', words), ['a', 'b']) WHERE ` +
        `${PROJECT_IS} AND trace_id >= '${BASE.lowestId}' AND trace_id <= '${BASE.highestId}')) ` +
        'ORDER BY sort_key asc, id asc, ver DESC LIMIT 3',
    ],
  )
})

test('windows cover the bounds once, in order, for any number of hits', async () => {
  const plan = fc.record({
    low: fc.integer({ min: 0, max: 400 * 24 }),
    span: fc.integer({ min: 0, max: 400 * 24 }),
    order: fc.constantFrom('asc', 'desc' as const),
    text: fc.boolean(),
    hits: fc.array(fc.boolean()),
    edges: fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
    after: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ low, span, order, text, hits, edges, after }) => {
      const [lowest, highest] = [idAt('tr', low * HOUR, 3), idAt('tr', (low + span) * HOUR, 9)]
      const from = after === null ? null : idAt('tr', Math.floor((low + span * after) * HOUR), 4)
      let found = 0
      const { engine, statements } = recording((sql) => {
        if (isCount(sql)) return [[1]]
        if (!isBound(sql)) return hits.pop() === true ? [[idAt('tr', ++found)]] : []
        const edge = edges.pop()
        const [first, last] = idsOf(sql)
        const [begin, end] = [timeOfId(first as TraceId), timeOfId(last as TraceId)]
        // An edge is an id of the range.
        const id = edge === undefined ? null : idAt('tr', Math.floor(begin + (end - begin) * edge), 5)
        return id === null || id < first || id > last ? [] : [[id]]
      })
      await findFeedCandidates(engine, {
        ...BASE,
        lowestId: lowest,
        highestId: highest,
        order,
        limit: 1000,
        words: text ? ['word'] : null,
        termGroups: [['f']],
        after: from === null ? null : { key: 0, id: from },
      })
      const bounds = statements.filter((sql) => !isCount(sql) && !isBound(sql)).map(idsOf)
      if (order === 'desc') bounds.reverse()
      const within = (id: string) => id >= lowest && id <= highest
      const start = from !== null && order === 'asc' && within(from) ? from : lowest
      const end = from !== null && order === 'desc' && within(from) ? from : highest
      assert.equal(bounds[0]?.[0], start)
      assert.equal(bounds.at(-1)?.[1], end)
      bounds.slice(1).forEach(([next], index) => assert.equal(predecessor(next), bounds[index]![1]))
    }),
    { numRuns: 500 },
  )
})

function idsOf(sql: string): readonly [lowest: string, highest: string] {
  return [/id >= '(\w+)'/.exec(sql)![1]!, /id <= '(\w+)'/.exec(sql)![1]!]
}

/** Whether it finds the end of a window. */
function isBound(sql: string): boolean {
  return sql.includes('LIMIT 1 OFFSET')
}

/** Whether it counts passing rows. */
function isCount(sql: string): boolean {
  return sql.startsWith('SELECT count()')
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** The next lower id. */
function predecessor(id: string): string {
  const at = ALPHABET.indexOf(id.at(-1)!)
  return at === 0 ? `${predecessor(id.slice(0, -1))}z` : id.slice(0, -1) + ALPHABET[at - 1]
}

test('candidates equal those of a brute force, on random rows and queries', async () => {
  const engine = await temporaryEngine()
  // Old versions must remain, as in the brute force.
  await engine.command('SYSTEM STOP MERGES traces')
  const [real, brute] = [new ClickHouseTraceStore(engine), new MemoryTraceStore()]
  const timers = new ManualTimers()
  const options = {
    ...RECORDED_AT_ONCE,
    committedVersion: 0,
    fullText: true,
    timers,
    onSettledAtStart: () => undefined,
    onError: failTest,
    onReleaseError: failTest,
    onRecovered: () => undefined,
  }
  const half = new LoggedTraceStore(real, noLog(), options)
  const inMemory: StoredCommit[] = []
  const ids = await fill(async (commit) => {
    brute.add(commit)
    await half.stage(commit)
    half.publish(commit.version)
    // The newest third stays in memory. If it were settled at once, only the last version of each trace would be
    // stored.
    if (commit.version <= 16) await half.settle()
    else inMemory.push(commit)
  })
  const id = fc.constantFrom(...ids)
  const question = fc.record({
    projectId: fc.constantFrom(PROJECT, PROJECT, OTHER_PROJECT),
    termGroups: fc.subarray(
      [[statusTerm('error')], [flaggedTerm()], [modelTerm('a'), modelTerm('b')], [modelTerm('c')]],
      { maxLength: 2 },
    ),
    words: fc.option(fc.subarray(['refund', 'flight', 'seat', '退'], { minLength: 1, maxLength: 2 }), { nil: null }),
    bounds: fc.array(
      fc.record({
        measure: fc.constantFrom('duration_ms', 'total_tokens', 'step_count' as const),
        side: fc.constantFrom('min', 'max' as const),
        value: fc.integer({ min: 0, max: 6 }),
      }),
      { maxLength: 1 },
    ),
    between: fc.tuple(id, id),
    created: fc.option(
      fc.record({
        startTime: fc.option(fc.integer({ min: NOON - 130 * 24 * HOUR, max: NOON }), { nil: null }),
        endTime: fc.option(fc.integer({ min: NOON - 130 * 24 * HOUR, max: NOON }), { nil: null }),
      }),
      { nil: null, freq: 2 },
    ),
    among: fc.option(fc.subarray(ids, { minLength: 1 }), { nil: null, freq: 3 }),
    sort: fc.constantFrom('created_at', 'duration_ms', 'total_tokens', 'step_count' as const),
    order: fc.constantFrom('asc', 'desc' as const),
    atVersion: fc.option(fc.integer({ min: 1, max: 26 }), { nil: null }),
    after: fc.option(fc.record({ key: fc.integer({ min: -1, max: 6 }), id }), { nil: null }),
    limit: fc.integer({ min: 6, max: 60 }),
  })
  const toQuery = ({ between, ...rest }: Generated<typeof question>): FeedCandidateQuery => {
    const [lowestId, highestId] = between[0] <= between[1] ? between : [between[1], between[0]]
    return { ...rest, steps: null, rates: null, lowestId, highestId }
  }
  // Partly in memory: the latest version of a trace is found wherever it and the step with the words are; older ones,
  // which are not queried, may be missing.
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const query = { ...toQuery(asked), ...(asked.words === null ? {} : { atVersion: null }) }
      const newest = await brute.findTraces(query.projectId, ids, query.atVersion ?? Infinity)
      const matching = newest.filter((trace) => {
        const terms = traceTerms(trace)
        return isWithin(trace, query) && query.termGroups.every((group) => group.some((term) => terms.includes(term)))
      })
      const current = new Set(matching.map((trace) => `${trace.id} ${sortKey(trace, query)}`))
      const found = (await walk(half, query)).filter((row) => current.has(row))
      const expected = (await walk(brute, { ...query, limit: 10_000 })).filter((row) => current.has(row))
      assert.deepEqual(found, expected)
    }),
    { numRuns: times(8) },
  )
  for (const { traces, steps } of inMemory) await real.insert(rowsOf(traces, steps))
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const query = toQuery(asked)
      await assertSame(real, brute, query)
      assert.deepEqual(await walk(real, query), await walk(brute, { ...query, limit: 10_000 }))
    }),
    { numRuns: times(15) },
  )
  // Pages that bring the latest versions along.
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const query: FeedCandidateQuery = { ...toQuery(asked), words: null, among: null, sort: 'created_at' }
      const brought = await assertSame(real, brute, query)
      for (const trace of await brute.findTraces(query.projectId, ids, Infinity)) {
        const { version = trace.version } = brought.get(trace.id) ?? {}
        assert.equal(version, trace.version, 'an earlier version was brought along')
      }
    }),
    { numRuns: times(15) },
  )
})

/** The same candidates. Resolves with the rows that they bring along. */
async function assertSame(
  real: ClickHouseTraceStore,
  brute: MemoryTraceStore,
  query: FeedCandidateQuery,
): Promise<ReadonlyMap<TraceId, { readonly version: number }>> {
  const found = await real.findFeedCandidates(query)
  const expected = await brute.findFeedCandidates(query)
  assert.deepEqual(
    found.map(({ id, version, key }) => ({ id, version, key })),
    expected,
  )
  return new Map(found.flatMap(({ id, trace }) => (trace === undefined ? [] : [[id, trace] as const])))
}

type Generated<A> = A extends fc.Arbitrary<infer T> ? T : never

function failTest(error: unknown): never {
  throw error
}

/** Page by page, each trace and key once. */
async function walk(store: Pick<TraceReads, 'findFeedCandidates'>, query: FeedCandidateQuery): Promise<string[]> {
  const seen = new Set<string>()
  let after = query.after
  for (;;) {
    const page: FeedCandidate[] = await store.findFeedCandidates({ ...query, after })
    for (const { id, key } of page) seen.add(`${id} ${key}`)
    const last = page.at(-1)
    if (last === undefined || page.length < query.limit) return [...seen]
    after = { key: last.key, id: last.id }
  }
}

/** Sixty traces over some months with several versions each, in two projects. */
async function fill(write: (commit: StoredCommit) => Promise<void>): Promise<TraceId[]> {
  let state = 7
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  const ids = Array.from({ length: 60 }, (_, index) => idAt('tr', NOON - random(130 * 24) * HOUR, index + 1))
  for (let version = 1; version <= 24; version++) {
    const traces = ids
      .filter((_, index) => index % 14 === version % 14 || random(12) === 0)
      .map((id) =>
        traceRecord(id, {
          version,
          projectId: ids.indexOf(id) % 5 === 0 ? OTHER_PROJECT : PROJECT,
          // Ids of some are ahead of the clock, up to two days.
          createdAt: timeOfId(id) - (ids.indexOf(id) % 3) * 24 * HOUR,
          name: ids.indexOf(id) % 7 === 0 ? 'Refund of a Seat' : 'trace',
          status: random(2) === 0 ? 'error' : 'ok',
          flagged: random(3) === 0,
          models: ['a', 'b', 'c'].filter(() => random(3) === 0),
          stepCount: random(5),
          tokenUsage: { input: random(3), output: random(3), cacheRead: 0, cacheWrite: 0, reasoning: 0 },
          ...(random(2) === 0 ? { ownStartedAt: 0, ownEndedAt: random(5) } : {}),
        }),
      )
    const words = ['refund flight', 'seat', 'flight 退 款', 'nothing']
    const steps = traces.map((trace) =>
      newStep(trace, version, { prepared: preparedStep({ texts: [words[random(4)]!] }) }),
    )
    await write({ version, traces, steps, metricEvents: [] })
  }
  return ids
}
