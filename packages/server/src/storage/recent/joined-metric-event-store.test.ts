import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { testMetricEventStore } from '../../ports/metrics/metric-event-store.conformance.ts'
import { newMetricEvent } from '../../traces/commit/metric-event-builders.test-support.ts'
import { termsWithInherited } from '../../traces/rules/terms.ts'
import { ClickHouseMetricEvents } from '../clickhouse/rows/clickhouse-metric-events.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { JoinedMetricEventStore } from './joined-metric-event-store.ts'
import { LoggedTraceStore } from '../embedded/logged-trace-store.ts'
import { noLog } from '../embedded/log/no-log.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { RECORDED_AT_ONCE } from '../embedded/recorded-at-once.test-support.ts'

const engine = await temporaryEngine()
const traces = new LoggedTraceStore(new ClickHouseTraceStore(engine), noLog(), {
  ...RECORDED_AT_ONCE,
  committedVersion: 0,
  fullText: true,
  timers: new ManualTimers(),
  onSettledAtStart: () => undefined,
  onError: failTest,
  onReleaseError: failTest,
  onRecovered: () => undefined,
})
const deleted = new Set<TraceId>()
const store = new JoinedMetricEventStore({
  recent: traces.recentMetricEvents,
  settled: new ClickHouseMetricEvents(engine),
  journal: {
    removedEvents: async () => new Set(),
    deletedAmong: async (ids) => new Set(ids.filter((id) => deleted.has(id))),
  },
  clock: { now: () => Date.UTC(2026, 5, 1) },
})
let version = 0

for (const [where, settles] of [
  ['the newest commit is in memory, those before it are in the engine', 'before'],
  ['all is in memory', 'never'],
  ['all is in the engine', 'after'],
] as const) {
  test(where, () =>
    testMetricEventStore(() => ({
      store,
      write: async (events, { runType, models, metadata } = { runType: 'agent', models: [], metadata: {} }) => {
        if (settles === 'before') await traces.settle()
        version += 1
        const termsOf = termsWithInherited(Buffer.from(JSON.stringify(metadata)))
        const metricEvents = events.map((record) =>
          newMetricEvent(record, { runType, models, terms: termsOf(record.metadata) }),
        )
        await traces.stage({ version, traces: [], steps: [], metricEvents })
        traces.publish(version)
        if (settles === 'after') await traces.settled()
      },
      deleteTrace: async (_projectId, traceId) => void deleted.add(traceId),
    })),
  )
}

function failTest(error: unknown): never {
  throw error
}
