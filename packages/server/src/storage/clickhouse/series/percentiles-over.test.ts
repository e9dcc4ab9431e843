import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { idAt } from '../../../traces/trace-builders.test-support.ts'
import { traceRows } from './aggregate-rows.ts'
import { percentilesOver } from './percentiles-over.ts'

const PROJECT: ProjectId = idAt('proj', 1)
const NUMBERS = Array.from({ length: 100_000 }, (_, n) => n)
const QUESTION = {
  source: { kind: 'traces', measure: 'duration_ms' },
  filters: {
    ...toTraceFilters('monitors', {}),
    metadata: [],
    source: null,
  },
  aggregation: 'p50',
  option: null,
  forEach: null,
} as const

test('ranking very many numbers yields to the event loop', async () => {
  const once = NUMBERS.map(() => 1)
  const engine = {
    select: async () => [
      [0, 1, NUMBERS, once],
      [1, 2, NUMBERS.map((number) => 0 - number), once],
    ],
    selectParquet: () => assert.fail('no export'),
    insert: () => assert.fail('nothing is written'),
    command: () => assert.fail('nothing is changed'),
    close: async () => undefined,
  }
  let turns = 0
  let isAnswered = false
  const countTurns = () => {
    turns += 1
    if (!isAnswered) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const rows = traceRows(PROJECT, [{ startTime: 0, endTime: 4000 }], 0)
  const times = { firstAt: 1000, stepMs: 1000, count: 3, windowMs: 1000 }
  const answers = await percentilesOver(engine, rows, QUESTION, times, 0.5)
  isAnswered = true
  assert.deepEqual(answers, [
    { value: 49_999.5, samples: 100_000 },
    { value: 0, samples: 200_000 },
    { value: -49_999.5, samples: 100_000 },
  ])
  assert.ok(turns >= 10, `${turns} turns`)
})
