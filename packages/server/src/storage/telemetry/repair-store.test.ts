import { repairStoreTests } from '../../traces/repair-store.conformance.ts'
import { ClickHouseTraceStore } from './clickhouse-trace-store.ts'
import { temporaryEngine } from './temporary-engine.test-support.ts'

const engine = await temporaryEngine()

repairStoreTests({
  /** The tables are emptied: each test begins with a store and a journal of its own. */
  async open(journal) {
    for (const table of ['traces', 'steps']) await engine.command(`TRUNCATE TABLE ${table}`)
    return new ClickHouseTraceStore(engine, { abandonedVersions: () => journal.abandonedVersions(), fullText: true })
  },
  async merge() {
    for (const table of ['traces', 'steps']) await engine.command(`OPTIMIZE TABLE ${table} FINAL`)
  },
})
