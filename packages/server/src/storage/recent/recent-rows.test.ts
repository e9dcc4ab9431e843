import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toSearchWords } from '../../traces/rules/search-text.ts'
import {
  BEGIN_MS,
  idAt,
  newStep,
  OTHER_PROJECT,
  preparedStep,
  PROJECT,
  traceRecord,
} from '../../traces/trace-builders.test-support.ts'
import type { FeedCandidateQuery, StoredCommit } from '../../ports/traces/trace-store.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { RecentRows } from './recent-rows.ts'
import { rowsOf } from '../clickhouse/rows/rows-of.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { times } from '../../lib/times.test-support.ts'

const QUERY: FeedCandidateQuery = {
  projectId: PROJECT,
  termGroups: [],
  bounds: [],
  steps: null,
  rates: null,
  words: null,
  lowestId: idAt('tr', 0),
  highestId: idAt('tr', 2 ** 47),
  created: null,
  among: null,
  sort: 'created_at',
  order: 'asc',
  atVersion: null,
  after: null,
  limit: 1000,
}

const ids = Array.from({ length: 6 }, (_, index) => idAt('tr', BEGIN_MS, index + 1))

test('what was dropped is gone, everything else is as if the rest had come alone', () => {
  const plan = fc.array(
    fc.uniqueArray(fc.record({ index: fc.nat(3), steps: fc.nat(2) }), { selector: ({ index }) => index, minLength: 1 }),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(plan, fc.array(fc.nat(3)), (plans, drops) => {
      const commits = plans.map((traces, index) => commitOf(index + 1, traces))
      const rows = new RecentRows()
      for (const commit of commits) rows.add(commit)
      // Settled a few at a time, oldest first.
      let dropped = 0
      for (const count of drops) {
        rows.drop(commits.slice(dropped, dropped + count))
        dropped = Math.min(commits.length, dropped + count)
      }
      const left = new RecentRows()
      for (const commit of commits.slice(dropped)) left.add(commit)
      assert.deepEqual(contents(rows), contents(left))
    }),
  )
})

function contents(rows: RecentRows) {
  return {
    traces: ids.map((id) => [rows.has(id), rows.versions(PROJECT, id).map(({ version }) => version)]),
    steps: ids.map((traceId) =>
      rows.steps({ projectId: PROJECT, traceId, fromPosition: 0, limit: 1000, maxVersion: Infinity }),
    ),
    byCreation: rows.findFeedCandidates(QUERY),
    byKey: rows.findFeedCandidates({ ...QUERY, sort: 'step_count' }),
    told: rows.findFeedCandidates({ ...QUERY, words: ['step'] }),
    unmatched: rows.findUnmatched({ ...QUERY, words: ['step'] }),
  }
}

function commitOf(version: number, traces: readonly { index: number; steps: number }[]): StoredCommit {
  const records = traces.map(({ index }) => traceRecord(ids[index]!, { version, stepCount: version }))
  const steps = traces.flatMap(({ steps: count }, index) =>
    Array.from({ length: count }, (_, place) => newStep(records[index]!, version * 10 + place)),
  )
  return { version, traces: records, steps, metricEvents: [] }
}

test('a trace is there as long as a version or a step of it is, whatever its project', () => {
  const rows = new RecentRows()
  const trace = traceRecord(ids[0]!, { projectId: OTHER_PROJECT })
  const [first, second] = [
    { version: 1, traces: [trace], steps: [], metricEvents: [] },
    { version: 2, traces: [], steps: [newStep(trace, 0)], metricEvents: [] },
  ]
  rows.add(first)
  rows.add(second)
  assert.deepEqual([rows.has(ids[0]!), rows.has(ids[1]!), rows.versions(PROJECT, ids[0]!)], [true, false, []])
  rows.drop([first])
  assert.ok(rows.has(ids[0]!))
  rows.drop([second])
  assert.ok(!rows.has(ids[0]!))
})

test('versions are told apart by what their words stand in: name, a step held here, or nothing here', () => {
  const rows = new RecentRows()
  const named = traceRecord(ids[0]!, { name: 'Refund of a flight', models: ['a'] })
  const [spread, whole, other, appended, bare] = ids.slice(1).map((id) => traceRecord(id, { models: ['a'] }))
  const step = (of: typeof named, position: number, text: string) =>
    newStep(of, position, { prepared: preparedStep({ texts: [text] }) })
  const steps = [
    step(spread!, 0, 'refund'),
    step(spread!, 1, 'flight flights'),
    step(whole!, 0, 'a flight: refund'),
    step(other!, 0, 'refunds flight'),
    step(appended!, 3, 'refund'),
  ]
  rows.add({ version: 1, traces: [named, spread!, whole!, other!, appended!, bare!], steps, metricEvents: [] })
  const query = { ...QUERY, words: ['refund', 'flight'] }
  const found = (candidates: readonly { id: string }[]) => candidates.map(({ id }) => ids.indexOf(id as never))
  assert.deepEqual(found(rows.findFeedCandidates(query)), [0, 2])
  assert.deepEqual(found(rows.findUnmatched(query)), [4, 5], 'all steps of the others are here')
  assert.deepEqual(found(rows.findUnmatched({ ...query, after: { key: 0, id: ids[4]! } })), [5])
  assert.deepEqual(found(rows.findUnmatched({ ...query, termGroups: [['none']] })), [])
  assert.deepEqual(rows.findUnmatched({ ...query, words: null }), [])
})

test('words are found in memory exactly where the engine finds them', async () => {
  const engine = await temporaryEngine()
  const settled = new ClickHouseTraceStore(engine)
  const rows = new RecentRows()
  const texts = fc.sample(
    fc.array(fragment, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
    {
      seed: 11,
      numRuns: 600,
    },
  )
  // Every third as the name of a trace, the others in steps, two each.
  const records = texts.map((text, index) =>
    traceRecord(idAt('tr', BEGIN_MS, 100 + index), index % 3 === 0 ? { name: text } : {}),
  )
  const steps = records.flatMap((trace, index) =>
    index % 3 === 0
      ? []
      : [texts[index]!, texts[(index * 7) % texts.length]!].map((text, position) =>
          newStep(trace, position, { prepared: preparedStep({ texts: ['step', text] }) }),
        ),
  )
  rows.add({ version: 1, traces: records, steps, metricEvents: [] })
  await settled.insert(rowsOf(records, steps))
  const questions = fc.oneof(
    fc.constantFrom(...texts),
    fragment,
    fc.tuple(fragment, fragment).map((two) => two.join(' ')),
  )
  await fc.assert(
    fc.asyncProperty(questions, async (question) => {
      const words = toSearchWords(question)
      fc.pre(words.length > 0)
      const query = { ...QUERY, words }
      const found = rows.findFeedCandidates(query)
      assert.deepEqual(found, await settled.findFeedCandidates(query))
    }),
    { numRuns: times(50) },
  )
})

/**
 * What words are made of and end at, with characters that change their number or form when brought into lower case or
 * composed.
 */
const fragment = fc.oneof(
  fc.constantFrom(
    'refund',
    'Flight',
    'ÉTÉ',
    'e\u0301te\u0301',
    'ΣΑΣ',
    'σας',
    'İstanbul',
    'STRASSE',
    'ẞ',
    'ß',
    'ﬁ',
    'Ǆ',
  ),
  fc.constantFrom('J\u030c', '\u01f0', 'Ω', '\u2126', 'K', '\u212a', 'Å', '\u212b', 'W\u030a', 'T\u0308', 'H\u0331'),
  fc.constantFrom(
    '退款',
    'ひらがな',
    'ก็',
    '한국',
    '😀',
    '\u200d',
    '\u00a0',
    '\u0000',
    '\n',
    '-',
    '_',
    "'",
    '"',
    '\\',
    '%',
    ' ',
    '  ',
  ),
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
