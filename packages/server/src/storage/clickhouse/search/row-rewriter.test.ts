import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { stepSearchText } from '../../../traces/intake/prepare-step.ts'
import { termsWithInherited } from '../../../traces/intake/terms.ts'
import {
  BEGIN_MS,
  idAt,
  newStep,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../../traces/trace-builders.test-support.ts'
import type { NewMetricEvent } from '../../../ports/traces/trace-store.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import { RowRewriter } from './row-rewriter.ts'
import { SEARCH_RULES, SEARCHED_TABLES, StaleRows } from './stale-rows.ts'

const engine = await temporaryEngine()
/** Bounds for many pieces of several pages each. */
const BOUNDS = { pieceRows: 12, pieceBytes: 1_000_000, pageRows: 3, pageBytes: 300 }
const FEED = `SELECT id FROM traces WHERE hasAll(terms, ['k\\0env\\0"prod"'])`

const traces = Array.from({ length: 24 }, (_, n) =>
  traceRecord(idAt('tr', BEGIN_MS, n), {
    createdAt: BEGIN_MS + n,
    name: `Order ${n}`,
    metadata: Buffer.from(`{"env":"${n % 2 ? 'prod' : 'dev'}","n":${n}}`),
  }),
)
const steps = traces.flatMap((trace, n) =>
  [0, 1].map((position) => {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: `ΟΔΟΣ ${n}` }] }]
    const body = Buffer.from(JSON.stringify({ messages }))
    const prepared = preparedStep({ name: 'Ask', body, searchText: stepSearchText({ name: 'Ask', messages }) })
    return newStep(trace, position, { prepared })
  }),
)
const events = traces.map((trace, n): NewMetricEvent => {
  const metadata = Buffer.from(n % 3 ? '{"n":"own"}' : '{}')
  return {
    runType: trace.runType,
    models: trace.models,
    terms: termsWithInherited(trace.metadata)(metadata),
    record: {
      projectId: PROJECT,
      traceId: trace.id,
      id: idAt('mev', BEGIN_MS, n),
      version: 1,
      metricId: idAt('met', 1),
      stepId: null,
      value: { kind: 'numeric', number: n },
      source: null,
      comment: null,
      metadata,
      idempotencyKey: null,
      at: BEGIN_MS + n,
      createdAt: BEGIN_MS + n,
    },
  }
})

/** Half of the rows in one part, half in another, with the columns that rules before version 1 would have made. */
async function plant(): Promise<void> {
  for (const half of [0, 1]) {
    const of = <T>(all: readonly T[]) => all.filter((_, n) => n % 2 === half)
    const rows = rowsOf(of(traces), of(steps), of(events))
    await engine.insert('traces', rows.traces)
    await engine.insert('steps', rows.steps)
    await engine.insert('metric_events', rows.metricEvents)
    await engine.insert('metric_points', rows.metricEvents)
  }
}

async function age(): Promise<void> {
  const old = 'WHERE 1 SETTINGS mutations_sync = 2'
  await engine.command(`ALTER TABLE traces UPDATE terms = ['old'], term_rules = 0 ${old}`)
  await engine.command(`ALTER TABLE metric_points UPDATE terms = ['old'], term_rules = 0 ${old}`)
  await engine.command(`ALTER TABLE steps UPDATE text = 'old', text_rules = 0 ${old}`)
}

async function tables(): Promise<unknown> {
  return await Promise.all(SEARCHED_TABLES.map((table) => engine.select(`SELECT * FROM ${table} ORDER BY ALL`)))
}

test('rows of earlier rules are rewritten in pieces, also after restarts, and reads that need them are refused until then', async () => {
  await plant()
  const expected = await tables()
  await age()
  const stale = new StaleRows(true)
  const guarded = stale.guard(engine)
  await stale.count(engine)
  assert.equal(stale.rows(), 24 + 24 + 48)
  for (const sql of [
    FEED,
    `SELECT count() FROM traces FINAL WHERE hasAll(terms, ['s\\0ok'])`,
    `SELECT count() FROM traces WHERE has(terms, 'f')`,
    `SELECT count() FROM metric_points WHERE hasAll(terms, ['h\\0env'])`,
    `SELECT count() FROM steps WHERE hasAllTokens(text, ['ask'])`,
  ])
    await assert.rejects(
      guarded.select(sql),
      (error) => error instanceof DomainError && error.code === 'storage_unavailable',
    )
  assert.deepEqual(await guarded.select(`SELECT count() FROM traces WHERE status = 'ok'`), [[24]])

  let left = stale.rows()
  while (left > 0) {
    // A crash loses the memory of its process and the running piece. The next process counts and starts again.
    const restarted = new StaleRows(true)
    await restarted.count(engine)
    const rewriter = new RowRewriter(engine, restarted, BOUNDS)
    while ((await rewriter.step()) && restarted.rows() === left);
    assert.ok(restarted.rows() <= left)
    left = restarted.rows()
  }
  await stale.count(engine)
  assert.equal(await new RowRewriter(engine, stale).step(), false)
  assert.deepEqual(await tables(), expected)
  assert.deepEqual(await guarded.select(FEED), await engine.select(`${FEED} AND 1`))
  assert.deepEqual(await engine.select(`SELECT name FROM system.tables WHERE name = 'rewritten'`), [])
})

test('newer rules refuse only reads that they have changed', async () => {
  const stale = new StaleRows(true, { ...SEARCH_RULES, terms: [...SEARCH_RULES.terms, ['k\0']] })
  await stale.count(engine)
  const guarded = stale.guard(engine)
  await assert.rejects(guarded.select(FEED), DomainError)
  assert.deepEqual(await guarded.select(`SELECT count() FROM traces WHERE hasAll(terms, ['s\\0ok'])`), [[24]])
  assert.deepEqual(await guarded.select(`SELECT count() FROM steps WHERE hasAllTokens(text, ['ask'])`), [[48]])
  const rewriter = new RowRewriter(engine, stale)
  while (await rewriter.step());
  assert.deepEqual(await guarded.select('SELECT min(term_rules), max(term_rules) FROM traces'), [[2, 2]])
  assert.equal((await guarded.select(FEED)).length, 12)
})

test('steps of rules that only found less are searched while they are rewritten', async () => {
  await engine.command(`ALTER TABLE steps UPDATE text_rules = 1 WHERE 1 SETTINGS mutations_sync = 2`)
  const stale = new StaleRows(true)
  await stale.count(engine)
  assert.equal(stale.rows('steps'), 48)
  const words = `SELECT count() FROM steps WHERE hasAllTokens(text, ['ask'])`
  assert.deepEqual(await stale.guard(engine).select(words), [[48]])
  const rewriter = new RowRewriter(engine, stale)
  while (await rewriter.step());
  assert.deepEqual(await engine.select('SELECT min(text_rules) FROM steps'), [[SEARCH_RULES.text]])
})

test('a piece whose mutation fails is reported and retried', async () => {
  await age()
  const stale = new StaleRows(true)
  await stale.count(engine)
  const rewriter = new RowRewriter(engine, stale, BOUNDS)
  await rewriter.step()
  // Simulates the removal of deleted traces, which kills other mutations.
  await engine.command('KILL MUTATION WHERE database = currentDatabase() SYNC')
  while (await rewriter.step());
  assert.equal(stale.rows(), 0)
})
