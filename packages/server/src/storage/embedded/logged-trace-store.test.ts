import { systemTimers } from '../../lib/time/timers.ts'
import { testTraceStore } from '../../ports/traces/trace-store.conformance.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { LoggedTraceStore } from './logged-trace-store.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { noLog } from './log/no-log.test-support.ts'
import { RECORDED_AT_ONCE } from './recorded-at-once.test-support.ts'

const engine = await temporaryEngine()
const store = new LoggedTraceStore(new ClickHouseTraceStore(engine), noLog(), {
  ...RECORDED_AT_ONCE,
  committedVersion: 0,
  fullText: true,
  timers: systemTimers,
  onSettledAtStart: () => undefined,
  onError: failTest,
  onReleaseError: failTest,
  onRecovered: () => undefined,
})
let version = 0

testTraceStore(() => ({
  store,
  /**
   * The newest commit is in memory, for a while at least, those before it are in the engine: answers come from both.
   */
  write: async (traces, steps, metricEvents = []) => {
    await store.settle()
    version += 1
    await store.stage({ version, traces, steps, metricEvents })
    store.publish(version)
  },
  merge: async () => {
    await store.settle()
    await engine.command('OPTIMIZE TABLE traces FINAL')
  },
}))

function failTest(error: unknown): never {
  throw error
}
