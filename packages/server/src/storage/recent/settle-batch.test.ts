import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../lib/flow/in-slices.ts'
import { metricEventRecord, newMetricEvent } from '../../traces/commit/metric-event-builders.test-support.ts'
import { BEGIN_MS, idAt, newStep, preparedStep, traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'
import { rowsOf } from '../clickhouse/rows/rows-of.test-support.ts'
import { SettleBatch } from './settle-batch.ts'

/** Which of five traces a commit writes, each with how many steps; how large their bodies are. */
const commits = fc.array(
  fc.record({
    traces: fc.uniqueArray(fc.record({ index: fc.nat(4), steps: fc.nat(2), events: fc.nat(2) }), {
      selector: ({ index }) => index,
    }),
    bodyBytes: fc.oneof({ weight: 20, arbitrary: fc.nat(50) }, fc.constantFrom(40_000, 100_000)),
    end: fc.constantFrom('keep', 'keep', 'undo' as const),
  }),
  { maxLength: 12 },
)

test('rows are all steps and metric events of what was kept, and of each trace the newest version', () => {
  // One batch for all runs: it is used again and again.
  const batch = new SettleBatch(true)
  fc.assert(
    fc.property(commits, (plans) => {
      batch.reset()
      const kept: StoredCommit[] = []
      for (const [index, { traces, bodyBytes, end }] of plans.entries()) {
        const commit = commitOf(kept.length + 1, traces, `{"filler":"${index} ${'x'.repeat(bodyBytes)}"}`)
        const written = atOnce(batch.write(commit))
        assert.deepEqual(written, rowsOf(commit.traces, commit.steps, commit.metricEvents))
        batch[end]()
        if (end === 'keep') kept.push(commit)
      }
      assert.deepEqual(batch.commits, kept)
      const newest = new Map(kept.flatMap((commit) => commit.traces).map((trace) => [trace.id, trace]))
      const steps = kept.flatMap((commit) => commit.steps)
      const rows = batch.rows()
      assert.deepEqual(lines(rows.traces), lines(rowsOf([...newest.values()], []).traces))
      assert.deepEqual(rows.steps, rowsOf([], steps).steps)
      const events = kept.flatMap((commit) => commit.metricEvents)
      assert.deepEqual(rows.metricEvents, rowsOf([], [], events).metricEvents)
      const all = rowsOf(
        kept.flatMap((commit) => commit.traces),
        steps,
        events,
      )
      assert.equal(batch.bytes, all.traces.length + all.steps.length + all.metricEvents.length)
    }),
    { numRuns: 300 },
  )
})

test('versions of one trace in one batch need not come in order', () => {
  const batch = new SettleBatch(true)
  for (const version of [2, 3, 1]) {
    atOnce(batch.write(commitOf(version, [{ index: 0, steps: 1 }], '{}')))
    batch.keep()
  }
  const { traces, steps } = batch.rows()
  assert.match(traces.toString(), /^[^\n]*"ver":3,[^\n]*\n$/)
  assert.equal(lines(steps).length, 3)
})

test('keep and undo without a written commit change nothing', () => {
  const batch = new SettleBatch(true)
  atOnce(batch.write(commitOf(1, [{ index: 0, steps: 1 }], '{}')))
  batch.keep()
  const before = batch.bytes
  batch.undo()
  batch.keep()
  assert.deepEqual([batch.bytes, batch.commits.length], [before, 1])
})

test('after a reset nothing is left of what was kept or only written', () => {
  const batch = new SettleBatch(true)
  const commit = commitOf(1, [{ index: 0, steps: 2 }], '{}')
  atOnce(batch.write(commit))
  batch.keep()
  atOnce(batch.write(commit))
  batch.reset()
  batch.keep()
  assert.deepEqual([batch.bytes, batch.commits, lines(batch.rows().traces)], [0, [], []])
})

test('the words of steps are stored when they are to be searched', () => {
  const words = (fullText: boolean) => {
    const commit = commitOf(1, [{ index: 0, steps: 1 }], '{}')
    return (JSON.parse(atOnce(new SettleBatch(fullText).write(commit)).steps.toString()) as { text: string }).text
  }
  assert.deepEqual([words(true), words(false)], ['step', ''])
})

function commitOf(
  version: number,
  traces: readonly { index: number; steps: number; events?: number }[],
  body: string,
): StoredCommit {
  const records = traces.map(({ index }) => traceRecord(idAt('tr', BEGIN_MS, index), { version }))
  const steps = traces.flatMap(({ steps: count }, index) =>
    Array.from({ length: count }, (_, position) =>
      newStep(records[index]!, version * 10 + position, { prepared: preparedStep({ body: Buffer.from(body) }) }),
    ),
  )
  const metricEvents = traces.flatMap(({ events = 0 }, index) =>
    Array.from({ length: events }, (_, place) => {
      const traceId = records[index]!.id
      const id = idAt('mev', BEGIN_MS, version * 100 + index * 10 + place)
      return newMetricEvent(metricEventRecord(id, { traceId, version, metadata: Buffer.from(body) }))
    }),
  )
  return { version, traces: records, steps, metricEvents }
}

/** In no order. */
function lines(rows: Buffer): string[] {
  const found = rows.toString().split('\n')
  assert.equal(found.pop(), '')
  return found.sort()
}
