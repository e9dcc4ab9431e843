import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { parquetReadObjects } from 'hyparquet'
import type { OwnPrice } from '../../../ports/prices/price.ts'
import type { SaidText, TraceRecord } from '../../../ports/traces/trace-record.ts'
import { createPricer, createRates } from '../../../pricing/pricer.ts'
import { costOfUsage } from '../../../pricing/trace-cost.ts'
import { MemoryClusterMembers } from '../../../traces/read/memory-cluster-members.test-support.ts'
import { readTraceRowGroupBy, type RowGroupPlace } from '../../../traces/read/trace-row-groups.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import type { FilteredRequest } from '../../../traces/use-cases.ts'
import { toTraceRow } from '../../../wire/to-wire.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { aggregateWorld, disturbed } from '../series/aggregate-world.test-support.ts'
import { ClickHouseTraceRowGroups } from './clickhouse-trace-row-groups.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const ALL: FilteredRequest = {
  ...toTraceFilters('lists', {}),
  projectId: PROJECT,
  metadata: [],
  startTime: null,
  endTime: null,
  text: null,
}
const PRICE: OwnPrice = { model: 'm/ä', input: 0.1, output: 1 / 3, cacheRead: 0.07, cacheWrite: null, updatedAt: 0 }
const prices = { own: async () => new Map([[PRICE.model, PRICE]]) }
const attachments = new Map<TraceId, number>()
const deleted = new Set<TraceId>()

const world = await aggregateWorld()
/** What the engine was asked to print, and the ids of the rows that it gave. */
const printed: string[] = []
const selected: unknown[] = []
const engine: TelemetryEngine = {
  ...disturbed(world.engine, async () => undefined),
  select: async (sql) => {
    const rows = await world.engine.select(sql)
    selected.push(...rows.map(([id]) => id))
    return rows
  },
  selectParquet: (sql) => {
    printed.push(sql)
    return world.engine.selectParquet(sql)
  },
}
const read = readTraceRowGroupBy({
  store: new ClickHouseTraceRowGroups({ ...world.dependencies, engine }),
  settled: world.dependencies.settled,
  journal: { deletedAmong: async (ids) => new Set(ids.filter((id) => deleted.has(id))) },
  media: {
    countByTrace: async (ids) => new Map([...attachments].filter(([id]) => ids.includes(id))),
  },
  ratesOf: createRates(prices),
  watermark: () => ({ version: 1, lastTraceId: idAt('tr', BEGIN + 1_000_000), idLeadMs: 0 }),
  clusters: new MemoryClusterMembers(),
  metricIdOf: async () => null,
  fullText: true,
  breathe: async () => undefined,
})

beforeEach(async () => {
  attachments.clear()
  deleted.clear()
  printed.length = 0
  selected.length = 0
  await world.clear()
})

const trace = (n: number, fields: Partial<TraceRecord> = {}) =>
  traceRecord(idAt('tr', BEGIN + n, 1), { createdAt: BEGIN + n, version: n + 1, ...fields })
const repeated = { tool: 'search', times: 3, gap: 1, cycleAt: null, tokens: 5, usage: [] }
const seen = [{ key: 'k', last: 3, at: [0, 2], repeated }]
const WITH_FINDING = { ...EMPTY_DIGEST, calls: { ...EMPTY_DIGEST.calls, seen } }
const said = (text: string): SaidText => ({ text, isRoot: true, time: null, at: 0 })

async function rowsOf(filters: Partial<FilteredRequest> = {}, order: 'asc' | 'desc' = 'desc') {
  const rows: Record<string, unknown>[] = []
  const sizes: number[] = []
  let largestBytes = 0
  for (let from: RowGroupPlace | null = null; ;) {
    const group = await read({ ...ALL, ...filters, order }, from)
    if (group.file !== null) {
      const found = await parquetReadObjects({ file: new Uint8Array(group.file).buffer })
      sizes.push(found.length)
      largestBytes = Math.max(largestBytes, group.file.length)
      rows.push(...found)
    }
    if (group.next === null) return { rows, sizes, largestBytes }
    from = group.next
  }
}

/** The row of the list, as cells. */
async function cellsOf(record: TraceRecord): Promise<Record<string, unknown>> {
  const price = await createPricer(prices)(PROJECT)
  const row = toTraceRow(record, attachments.get(record.id) ?? 0, costOfUsage(price, record.digest.usage))
  const { token_usage, ...fields } = JSON.parse(row) as Record<string, unknown>
  const tokens = Object.entries(token_usage as object).map(([name, value]) => [`token_usage.${name}`, value] as const)
  const cells = [...Object.entries(fields), ...tokens].map(([name, value]) => {
    if (name === 'metadata') return [name, record.metadata.toString()]
    if (name.endsWith('_at') && value !== null) return [name, BigInt(Date.parse(value as string))]
    if (typeof value === 'string') return [name, value.toWellFormed()]
    if (typeof value === 'number' && name !== 'cost_usd') return [name, BigInt(value)]
    return [name, Array.isArray(value) ? JSON.stringify(value) : value]
  })
  return { ...(Object.fromEntries(cells) as object), snippet: null, metric_values: null }
}

async function assertCells(records: readonly TraceRecord[], rows: readonly Record<string, unknown>[]): Promise<void> {
  const found = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, (cell as unknown) ?? null])),
  )
  assert.deepEqual(found, await Promise.all(records.map(cellsOf)))
}

test('the cells are those of the list, whatever they hold', async () => {
  const usage = (model: string, input: number) => ({
    model,
    tokens: { input, cacheRead: 3, cacheWrite: 0, output: 7 },
  })
  const records = [
    trace(1),
    trace(2, {
      name: `"'\\ \n\t\u0000 é 😀 / \u2028 <b>`,
      metadata: Buffer.from('{"big":12345678901234567890,"e":1e999,"s":"\\ud800 /","n":null,"a":[]}'),
      sessionId: 'se/ss "1"',
      userId: '\\ud83d is text',
      models: ['m/ä', '"quoted"', '', '\u0001\t\u007f 😀 \\ <b>'],
      flagged: true,
    }),
    // A name of a tool is stored as it was sent, with half of a character.
    trace(3, {
      name: '\\ud83d is text, \\\\ud83d too',
      userId: '\\',
      digest: {
        ...EMPTY_DIGEST,
        input: said('\\u0041 "\\"'),
        output: said(`\\"repeated": '`),
        calls: { ...EMPTY_DIGEST.calls, open: { call: 'c', tool: '\\\ud800\udbff', at: 0 } },
      },
    }),
    trace(4, {
      status: 'error',
      failedSteps: 2,
      ownStartedAt: Date.UTC(1700, 0, 1),
      ownEndedAt: Date.UTC(2400, 0, 1),
      stepsStartedAt: BEGIN,
      updatedAt: BEGIN + 9,
      growing: true,
      digest: { ...EMPTY_DIGEST, output: said('out'), error: said('why') },
    }),
    trace(5, {
      status: 'error',
      stepsStartedAt: BEGIN + 5,
      stepsEndedAt: BEGIN,
      spans: { rootSeen: false, rootStatus: null, nameRank: 0, nameStartedAt: null },
      digest: { ...EMPTY_DIGEST, output: said('no reason'), usage: [usage('unpriced', 1)] },
    }),
    trace(6, {
      failedSteps: 3,
      stepCount: 4_000_000_000,
      tokenUsage: {
        input: Number.MAX_SAFE_INTEGER,
        output: Number.MAX_SAFE_INTEGER,
        cacheRead: 1,
        cacheWrite: 2,
        reasoning: 3,
      },
      digest: { ...EMPTY_DIGEST, usage: [usage('unpriced', 5), usage('m/ä', 123_456_789), usage('m/ä', 1)] },
    }),
    trace(7, {
      spans: { rootSeen: true, rootStatus: 'ok', nameRank: 0, nameStartedAt: 7, isRunTypeGiven: true },
      digest: { ...WITH_FINDING, usage: null },
    }),
  ]
  attachments.set(records[1]!.id, 2)
  attachments.set(records[6]!.id, 1)
  await world.addTraces(records)
  const { rows } = await rowsOf()
  await assertCells(records.toReversed(), rows)
  assert.deepEqual([rows[0]?.['finding_kinds'], rows[6]?.['finding_kinds']], ['["repeated_call"]', '[]'])
  assert.ok((rows[1]?.['cost_usd'] as number) > 0)
})

test('the groups together have each trace that passes once, in order, and none of another project', async () => {
  const records = Array.from({ length: 9000 }, (_, n) => trace(n, { name: n % 100 === 0 ? 'rare' : 'often' }))
  await world.addTraces(records)
  await world.addTraces([{ ...trace(3), projectId: OTHER_PROJECT, id: idAt('tr', BEGIN + 3, 2) }])
  // A later version of one, an earlier one of another.
  await world.addTraces([
    { ...trace(10), version: 9000, name: 'renamed' },
    { ...trace(20), version: 1, name: 'old' },
  ])
  const idsOf = ({ rows }: Awaited<ReturnType<typeof rowsOf>>) => rows.map(({ id }) => id)
  const ids = records.map(({ id }) => id)
  const all = await rowsOf()
  assert.deepEqual(idsOf(all), ids.toReversed())
  assert.deepEqual(all.sizes, [500, 8000, 500], 'the first is small, as its rows may be large')
  const ascending = await rowsOf({}, 'asc')
  assert.deepEqual(idsOf(ascending), ids)
  assert.deepEqual(
    [10, 20].map((n) => ascending.rows[n]?.['name']),
    ['renamed', 'often'].map((name, at) => (at === 1 ? records[20]!.name : name)),
  )
  assert.deepEqual(idsOf(await rowsOf({ name: ['rare'] })), ids.filter((_, n) => n % 100 === 0).toReversed())
  const within = { startTime: BEGIN + 1500, endTime: BEGIN + 4500 }
  assert.deepEqual(idsOf(await rowsOf(within, 'asc')), ids.slice(1500, 4500))
  assert.deepEqual(idsOf(await rowsOf({ name: ['none'] })), [])
  assert.equal(world.waits.length, 5, 'everything committed before is waited for, once for each export')
})

test('the next stretch is found while one is printed, and found again if that failed', async () => {
  const records = Array.from({ length: 400 }, (_, n) => trace(500 * n))
  await world.addTraces(records)
  const ids: unknown[] = []
  let ahead = 0
  for (let from: RowGroupPlace | null = null; ;) {
    const { file, next } = await read({ ...ALL, startTime: BEGIN, order: 'asc' }, from)
    if (file !== null)
      for (const { id } of await parquetReadObjects({ file: new Uint8Array(file).buffer })) ids.push(id)
    if (next === null) break
    if (next.begun !== undefined) ahead++
    const failed = () => ({ ...next.begun!, found: Promise.reject(new Error('busy')) })
    from = ahead % 2 === 0 || next.begun === undefined ? next : { ...next, begun: failed() }
  }
  assert.deepEqual(
    ids,
    records.map(({ id }) => id),
  )
  assert.ok(ahead > 2, `${ahead} stretches`)
})

test('traces are left out whose deletion is in the store, or only in the journal', async () => {
  const records = [1, 2, 3, 4].map((n) => trace(n))
  await world.addTraces(records)
  await world.addTombstone(records[1]!)
  deleted.add(records[2]!.id)
  const { rows } = await rowsOf()
  assert.deepEqual(
    rows.map(({ id }) => id),
    [records[3]!.id, records[0]!.id],
  )
})

test('findings are read of the traces that pass alone, whatever time these span', async () => {
  const records = Array.from({ length: 300 }, (_, n) =>
    trace(n, { name: n % 100 === 50 ? 'rare' : 'often', digest: n === 150 ? EMPTY_DIGEST : WITH_FINDING }),
  )
  await world.addTraces(records)
  const { rows } = await rowsOf({ name: ['rare'] }, 'asc')
  assert.deepEqual(
    rows.map((row) => row['finding_kinds']),
    ['["repeated_call"]', '[]', '["repeated_call"]'],
  )
  const ids = [records[50]!.id, records[250]!.id]
  assert.deepEqual(
    selected.filter((id) => records.some((record) => record.id === id)),
    ids,
  )
})

test('times are bounds on the creation of a trace, also when its id is ahead of it', async () => {
  world.allowLead(5000)
  const records = Array.from({ length: 5 }, (_, n) => trace(n))
  const ahead = trace(2, { id: idAt('tr', BEGIN + 2, 2), createdAt: BEGIN - 1000 })
  await world.addTraces([...records, ahead])
  const { rows } = await rowsOf({ startTime: BEGIN + 1, endTime: BEGIN + 4 }, 'asc')
  assert.deepEqual(
    rows.map(({ id }) => id),
    records.slice(1, 4).map(({ id }) => id),
  )
})

test('large rows are printed in more and smaller groups', async () => {
  const metadata = Buffer.from(JSON.stringify({ text: 'x'.repeat(200_000) }))
  const records = Array.from({ length: 400 }, (_, n) => trace(n, { metadata, digest: WITH_FINDING }))
  for (const { id } of records) attachments.set(id, 1)
  for (let from = 0; from < records.length; from += 100) await world.addTraces(records.slice(from, from + 100))
  const { rows, sizes } = await rowsOf({}, 'asc')
  assert.deepEqual(
    rows.map(({ id }) => id),
    records.map(({ id }) => id),
  )
  assert.ok(sizes.length > 1 && sizes.every((size) => size < 400), sizes.join())
  const { metadata: text, finding_kinds, attachment_count } = rows[399]!
  assert.deepEqual([text, finding_kinds, attachment_count], [metadata.toString(), '["repeated_call"]', 1n])
  for (const sql of printed) {
    const [, from = '', to = ''] = /id >= '(.*?)' AND id <= '(.*?)'/.exec(sql) ?? []
    const ids = records.map(({ id }) => id).filter((id) => sql.includes(id))
    assert.deepEqual([ids[0], ids.at(-1)], [from, to], 'a statement has values of its own rows alone')
  }
})

test('a file has at most 4 MB, also if its rows are larger than those before', async () => {
  const noise = () => Buffer.from(JSON.stringify({ text: randomBytes(48_000).toString('base64') }))
  const records = Array.from({ length: 1200 }, (_, n) => trace(n, n < 1050 ? {} : { metadata: noise() }))
  await world.addTraces(records.slice(0, 1100))
  await world.addTraces(records.slice(1100))
  const { rows, sizes, largestBytes } = await rowsOf({}, 'asc')
  assert.deepEqual(
    rows.map(({ id }) => id),
    records.map(({ id }) => id),
  )
  assert.equal(rows[1199]?.['metadata'], records[1199]?.metadata.toString())
  assert.equal(sizes[0], 500)
  assert.ok(largestBytes <= 4 * 1024 * 1024, `a file has ${largestBytes} bytes`)
})
