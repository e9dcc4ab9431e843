import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { testTraceStore } from '../../traces/trace-store.conformance.ts'
import { ClickHouseTraceStore } from './clickhouse-trace-store.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const engine = await temporaryEngine()
const abandoned = new Set<number>()
const store = new ClickHouseTraceStore(engine, { abandonedVersions: () => abandoned, fullText: true })

testTraceStore(() => ({
  store,
  abandon: (versions) => versions.forEach((version) => abandoned.add(version)),
  merge: () => engine.command('OPTIMIZE TABLE traces FINAL'),
}))

test('a tombstone is removed only when none of the versions it hides is left', async () => {
  const [hiding, bare] = [idAt('tr', 1), idAt('tr', 2)]
  const commands: string[] = []
  const recording = new ClickHouseTraceStore(
    {
      select: async (sql) => {
        if (sql.includes('FROM steps') || sql.includes('system.mutations')) return []
        return sql.endsWith('deleted = 0') ? [[hiding]] : [[hiding], [bare]]
      },
      command: async (sql) => void commands.push(sql),
      insert: () => assert.fail('a purge'),
      close: async () => undefined,
    },
    { abandonedVersions: () => abandoned, fullText: true },
  )
  const traces = [hiding, bare].map((traceId) => ({ projectId: PROJECT, traceId }))
  assert.deepEqual(await recording.purgeTraces(traces), [])
  const project = `project_id = '${PROJECT}'`
  assert.deepEqual(commands, [
    `DELETE FROM traces WHERE (${project} AND id IN ('${hiding}', '${bare}') AND deleted = 0 OR ${project} AND id IN ('${bare}')) SETTINGS lightweight_deletes_sync = 0`,
  ])
})
