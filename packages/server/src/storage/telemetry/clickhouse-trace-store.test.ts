import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, newStep, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { testTraceStore } from '../../traces/trace-store.conformance.ts'
import { rowsOf } from './rows-of.test-support.ts'
import { ClickHouseTraceStore } from './clickhouse-trace-store.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const engine = await temporaryEngine()
const store = new ClickHouseTraceStore(engine)

testTraceStore(() => ({
  store,
  write: (traces, steps) => store.insert(rowsOf(traces, steps)),
  merge: () => engine.command('OPTIMIZE TABLE traces FINAL'),
}))

test('a tombstone is removed only when none of the versions it hides is left', async () => {
  const [hiding, bare] = [idAt('tr', 1), idAt('tr', 2)]
  const commands: string[] = []
  const recording = new ClickHouseTraceStore({
    select: async (sql) => {
      if (sql.includes('FROM metric_events') || sql.includes('FROM steps') || sql.includes('system.mutations'))
        return []
      return sql.endsWith('deleted = 0') ? [[hiding]] : [[hiding], [bare]]
    },
    command: async (sql) => void commands.push(sql),
    insert: () => assert.fail('a purge'),
    close: async () => undefined,
  })
  const traces = [hiding, bare].map((traceId) => ({ projectId: PROJECT, traceId }))
  assert.deepEqual(await recording.purgeTraces(traces), [])
  const project = `project_id = '${PROJECT}'`
  assert.deepEqual(commands, [
    `DELETE FROM traces WHERE (${project} AND id IN ('${hiding}', '${bare}') AND deleted = 0 OR ${project} AND id IN ('${bare}')) SETTINGS lightweight_deletes_sync = 0`,
  ])
})

test('a tombstone is not removed before the metric events of its trace: while very many wait, it is by their tombstones that they are left out', async () => {
  const [judged, bare] = [idAt('tr', 1), idAt('tr', 2)]
  const commands: string[] = []
  const recording = new ClickHouseTraceStore({
    select: async (sql) => {
      if (sql.includes('GROUP BY metric_id')) return [['met_1', 5, 9]]
      if (sql.includes('FROM metric_')) return [[judged]]
      return sql.startsWith('SELECT DISTINCT id FROM traces') && sql.includes(' OR ') ? [[bare]] : []
    },
    command: async (sql) => void commands.push(sql),
    insert: () => assert.fail('a purge'),
    close: async () => undefined,
  })
  const traces = [judged, bare].map((traceId) => ({ projectId: PROJECT, traceId }))
  assert.deepEqual(await recording.purgeTraces(traces), [])
  const project = `project_id = '${PROJECT}'`
  assert.deepEqual(
    commands.filter((sql) => sql.includes('FROM traces')),
    [
      `DELETE FROM traces WHERE (${project} AND id IN ('${judged}', '${bare}') AND deleted = 0 OR ${project} AND id IN ('${bare}')) SETTINGS lightweight_deletes_sync = 0`,
    ],
  )
})

test('what is there already is not inserted again, whatever part of it that is', async () => {
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
