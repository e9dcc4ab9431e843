import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { MeasureFilters, WindowQuery } from '../../../ports/monitors/monitor-measures.ts'
import { idAt, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { planScans, rowsOf, scanColumns, spanOf } from './measure-plan.ts'

const NOW = Date.UTC(2026, 2, 1)
const MINUTE = 60_000
const METRIC: MetricId = idAt('met', 1)
const NO_FILTERS: MeasureFilters = {
  ...toTraceFilters('monitors', {}),
  metadata: [],
  source: null,
}

function question(minutes: number, fields: Partial<WindowQuery> = {}): WindowQuery {
  return {
    source: { kind: 'metric', metricId: METRIC },
    filters: NO_FILTERS,
    aggregation: 'avg',
    option: null,
    forEach: null,
    from: NOW - minutes * MINUTE,
    until: NOW,
    ...fields,
  }
}

test('1,000 measures over fifty metrics and four windows take few scans', () => {
  const questions = Array.from({ length: 1000 }, (_, n) =>
    question([5, 15, 60, 1440][n % 4]!, { source: { kind: 'metric', metricId: idAt('met', n % 50) } }),
  )
  const scans = planScans(questions)
  assert.ok(scans.length <= 150, `${scans.length} scans`)
  const positions = scans.flatMap((scan) => scan.positions)
  assert.deepEqual(
    positions.toSorted((a, b) => a - b),
    questions.map((_, at) => at),
  )
})

test('short windows do not wait for long ones', () => {
  const scans = planScans([question(1440), question(5), question(15)])
  assert.deepEqual(
    scans.map(({ positions }) => positions),
    [[1, 2], [0]],
  )
})

test('a scan answers at most 32 measures', () => {
  const scans = planScans(Array.from({ length: 70 }, () => question(5)))
  assert.deepEqual(
    scans.map(({ questions }) => questions.length),
    [32, 32, 6],
  )
})

test("no statement exceeds the engine's limit, however long the filters are and with all names of deleted traces", () => {
  const longest = 'ü'.repeat(60)
  const questions = Array.from({ length: 40 }, (_, n) => {
    const metadata = Array.from({ length: 32 }, (_entry, at) => ({ key: `${at}${longest}`, value: `${n}'${longest}` }))
    return question(5, { filters: { ...NO_FILTERS, model: `${n}\\${'ü'.repeat(998)}`, metadata } })
  })
  const deleted = 'd'.repeat(4000 * 34)
  const scans = planScans(questions)
  for (const scan of scans) {
    const span = spanOf(scan.questions)
    const rows = rowsOf(scan.questions[0]!, PROJECT, [span], { deleted, idLeadMs: 0 })
    const { columns } = scanColumns(scan.questions, rows)
    const bytes = Buffer.byteLength([...columns, ...rows.conditions].join())
    assert.ok(bytes < 250 * 1024, `${bytes} bytes`)
  }
  assert.ok(scans.length <= 40, `${scans.length} scans`)
})

test('monitors that differ only in their threshold share all columns, and percentiles are read only when needed', () => {
  const columnsOf = (...questions: WindowQuery[]) =>
    scanColumns(
      planScans(questions)[0]!.questions,
      rowsOf(questions[0]!, PROJECT, [spanOf(questions)], { deleted: null, idLeadMs: 0 }),
    ).columns
  assert.deepEqual(columnsOf(question(5, { aggregation: 'count' }), question(5, { aggregation: 'count' })), ['count()'])
  assert.deepEqual(columnsOf(question(5, { aggregation: 'p50' }), question(5, { aggregation: 'p99' })), [
    'count()',
    'quantiles(0.5, 0.9, 0.95, 0.99)(value)',
  ])
  assert.ok(columnsOf(question(5), question(5, { aggregation: 'max' })).every((column) => !column.includes('quantile')))
})
