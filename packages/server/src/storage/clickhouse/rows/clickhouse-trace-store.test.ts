import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, newStep, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { testTraceStore } from '../../../ports/traces/trace-store.conformance.ts'
import { rowsOf } from './rows-of.test-support.ts'
import { ClickHouseTraceStore } from './clickhouse-trace-store.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'

const engine = await temporaryEngine()
const store = new ClickHouseTraceStore(engine)

testTraceStore(() => ({
  store,
  write: (traces, steps, metricEvents) => store.insert(rowsOf(traces, steps, metricEvents)),
  merge: () => engine.command('OPTIMIZE TABLE traces FINAL'),
}))

test('rows that are already stored are not inserted again, whichever they are', async () => {
  const createdAt = Date.UTC(2027, 3, 30, 23)
  const traces = [0, 1, 2].map((index) => traceRecord(idAt('tr', createdAt, index), { createdAt, version: 900_001 }))
  const steps = traces.flatMap((trace) => [0, 1].map((position) => newStep(trace, position)))
  const changed = { ...traces[0]!, version: 900_002, name: 'changed' }
  const everything = rowsOf([...traces, changed], steps)
  await store.insert(rowsOf([traces[1]!], [steps[0]!, steps[3]!]))
  for (let turn = 0; turn < 2; turn++) await store.insertMissing(everything, 900_001, 900_002)
  const counts = await Promise.all(
    ['traces', 'steps'].map((table) =>
      engine.select(`SELECT ver, count() FROM ${table} WHERE ver > 900000 GROUP BY ver ORDER BY ver`),
    ),
  )
  assert.deepEqual(counts, [
    [
      [900_001, 2],
      [900_002, 1],
    ],
    [[900_001, 6]],
  ])
  const stored = traces.map(({ id }) => ({ projectId: PROJECT, traceId: id }))
  const newest = await store.newestVersions(stored)
  assert.deepEqual(
    traces.map(({ id }) => newest.get(id)),
    [900_002, 900_001, 900_001],
  )
})
