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
