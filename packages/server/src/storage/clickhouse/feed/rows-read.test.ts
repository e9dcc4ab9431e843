import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataValueTerms, statusTerm, userTerm } from '../../../traces/rules/terms.ts'
import { idAt, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import type { FeedCandidateQuery } from '../../../ports/traces/trace-store.ts'
import type { SummaryField } from '../../../ports/traces/trace-summaries.ts'
import { aggregateWorld, EVERY_TRACE } from '../series/aggregate-world.test-support.ts'
import { createRates } from '../../../pricing/pricer.ts'
import { SeriesCache } from '../series/series-cache.ts'
import { ClickHouseStepList } from './clickhouse-step-list.ts'
import { ClickHouseTraceFacets } from './clickhouse-trace-facets.ts'
import { ClickHouseTraceSummaries } from './clickhouse-trace-summaries.ts'
import { findFeedCandidates } from './feed-candidates.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const SMALL = 10_000
const LARGE = 30_000
const { engine, dependencies } = await aggregateWorld()

/** Traces `[from, to)`, one for each millisecond, of one step each. */
async function fill(from: number, to: number): Promise<void> {
  const [prefix, suffix] = [idAt('tr', BEGIN).slice(0, 3), idAt('tr', BEGIN, 1).slice(13)]
  const digit = (place: number) =>
    `substring('0123456789abcdefghjkmnpqrstvwxyz', bitAnd(bitShiftRight(${BEGIN} + number, ${place}), 31) + 1, 1)`
  const id = `concat('${prefix}', ${[45, 40, 35, 30, 25, 20, 15, 10, 5, 0].map(digit).join(', ')}, '${suffix}')`
  const rows = `FROM numbers(${from}, ${to - from}) SETTINGS max_insert_block_size = 100000, min_insert_block_size_bytes = 0`
  await engine.command(
    `INSERT INTO traces (project_id, id, ver, created_at, name, run_type, status, session_id, user_id, models, meta, terms, record, metadata, step_count) ` +
      `SELECT '${PROJECT}', ${id}, number + 1, fromUnixTimestamp64Milli(toInt64(${BEGIN} + number)), 'flow', 'agent', ` +
      `if(number % 10 = 0, 'error', 'ok'), concat('s', toString(intDiv(number, 3))), concat('u', toString(number % 50)), ['m'], ` +
      `map('env', if(number % 4 = 0, '"dev"', '"prod"')), [repeat('x', 200), concat('S\\0s', toString(intDiv(number, 3))), if(number % 4 = 0, 'k\\0env\\0"dev"', 'k\\0env\\0"prod"')], ` +
      `'[]', '{}', 1 ${rows}`,
  )
  await engine.command(
    `INSERT INTO steps (project_id, trace_id, position, ver, trace_created_at, text, body) SELECT '${PROJECT}', ${id}, 0, ` +
      `number + 1, fromUnixTimestamp64Milli(toInt64(${BEGIN} + number)), 'common words begin', '{}' ${rows}`,
  )
  for (const table of ['traces', 'steps']) await engine.command(`OPTIMIZE TABLE ${table} FINAL`)
  count = to
}

const page: FeedCandidateQuery = {
  projectId: PROJECT,
  termGroups: [],
  bounds: [],
  steps: null,
  rates: null,
  words: null,
  lowestId: idAt('tr', 0),
  highestId: idAt('tr', BEGIN + LARGE + 1),
  created: null,
  among: null,
  sort: 'created_at',
  order: 'desc',
  atVersion: null,
  after: null,
  limit: 50,
}
/** Traces so far. */
let count = 0
const list = (fields: Partial<FeedCandidateQuery>) => async () => {
  const shown = { ...page, highestId: idAt('tr', BEGIN + count), limit: 257, ...fields }
  assert.equal((await findFeedCandidates(engine, shown)).length, shown.limit)
}
const prices = await createRates({ own: async () => new Map() })(PROJECT)
const cache = new SeriesCache()
const summed = (by: SummaryField) => ({
  ...EVERY_TRACE,
  by,
  throughId: idAt('tr', BEGIN + count),
  prices,
  sort: 'last_at' as const,
  order: 'desc' as const,
  after: null,
})
const summaries =
  (by: SummaryField, limit: number, sessionId: string | null = null) =>
  async () => {
    const query = { ...summed(by), limit }
    const filters = { ...query.filters, sessionId }
    const found = await new ClickHouseTraceSummaries(dependencies, cache).findSummaries({ ...query, filters })
    assert.equal(found.length, sessionId === null ? limit : by === 'session_id' ? 1 : 3)
    for (const { traceCount } of sessionId === null ? [] : found) assert.equal(traceCount, by === 'session_id' ? 3 : 1)
  }
const READS: Readonly<Record<string, () => Promise<void>>> = {
  'the newest page': list({ limit: 50 }),
  'a long newest page': list({}),
  'a page behind a cursor': list({ after: { key: 0, id: idAt('tr', BEGIN + SMALL - 100) } }),
  'a common status': list({ termGroups: [[statusTerm('error')]], limit: 150 }),
  'a common user': list({ termGroups: [[userTerm('u7')]], limit: 30 }),
  'a common value of metadata': list({ termGroups: [metadataValueTerms('env', 'dev')], limit: 60 }),
  'a common word': list({ words: ['common'] }),
  'a common word with a status': list({ words: ['common'], termGroups: [[statusTerm('error')]], limit: 150 }),
  'a common prefix': list({ words: ['comm*'] }),
  'the newest steps': async () => {
    const query = { ...summed('user_id'), throughId: idAt('tr', BEGIN + count), sort: 'created_at', limit: 51 } as const
    assert.equal((await new ClickHouseStepList(dependencies).findPlaces(query)).length, 51)
  },
  sessions: summaries('session_id', 51),
  'one session': summaries('session_id', 1, 's3000'),
  'the users of one session': summaries('user_id', 51, 's2000'),
  'one session, as a list': summaries('session_id', 51, 's2000'),
  facets: async () => {
    const query = { projectId: PROJECT, field: { by: 'model' }, containing: null, limit: 10 } as const
    const { values } = await new ClickHouseTraceFacets(engine, 2000).traceFacets(query)
    assert.deepEqual(values, [{ value: 'm', count: 2000 }])
  },
}

async function haveRead(what: 'Rows' | 'Bytes'): Promise<number> {
  const [row] = await engine.select(`SELECT value FROM system.events WHERE event = 'Selected${what}'`)
  return (row?.[0] as number | undefined) ?? 0
}

test('the rows that a full page reads do not depend on the store', async () => {
  const read = async (): Promise<ReadonlyMap<string, number>> => {
    const counts = new Map<string, number>()
    for (const [name, ask] of Object.entries(READS)) {
      const before = await haveRead('Rows')
      await ask()
      counts.set(name, (await haveRead('Rows')) - before)
    }
    return counts
  }
  await fill(0, SMALL)
  const small = await read()
  await fill(SMALL, LARGE)
  for (const [name, rows] of await read()) {
    assert.ok(rows > 0, name)
    assert.ok(rows <= 1.1 * small.get(name)! + 1000, `${name}: ${small.get(name)} rows, then ${rows}`)
  }
})

test('a second page of users reads all traces, and later ones only those of an open bucket', async () => {
  const rows: number[] = []
  await summaries('user_id', 50)()
  for (let at = 0; at < 2; at++) {
    const before = await haveRead('Rows')
    await summaries('user_id', 50)()
    rows.push((await haveRead('Rows')) - before)
  }
  const [first, repeated] = rows as [number, number]
  assert.ok(first >= LARGE, `${first} rows`)
  assert.ok(repeated <= LARGE / 5, `${repeated} rows`)
})

test('a prefix that nothing has is looked for in names, not in all terms', async () => {
  const before = await haveRead('Bytes')
  assert.deepEqual(await findFeedCandidates(engine, { ...page, words: ['absent*'], limit: 257 }), [])
  const bytes = (await haveRead('Bytes')) - before
  assert.ok(bytes < LARGE * 200, `${bytes} bytes of ${LARGE} traces`)
})
