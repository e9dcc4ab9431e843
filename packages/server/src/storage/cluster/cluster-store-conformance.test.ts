import { after, before, describe, test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { testMetricEventStore } from '../../ports/metrics/metric-event-store.conformance.ts'
import { testTraceStore } from '../../ports/traces/trace-store.conformance.ts'
import { newMetricEvent } from '../../traces/commit/metric-event-builders.test-support.ts'
import { termsWithInherited } from '../../traces/rules/terms.ts'
import { ClickHouseMetricEvents } from '../clickhouse/rows/clickhouse-metric-events.ts'
import { JoinedMetricEventStore } from '../recent/joined-metric-event-store.ts'
import { clusterServers, ClusterWorld, commitRows, type TestNode } from './cluster-world.test-support.ts'

const servers = await clusterServers()
if (typeof servers === 'string') test('the store of several nodes', { skip: servers }, () => undefined)
else {
  describe('the newest commit is in memory, those before it are in ClickHouse', () => {
    const cleanups: (() => unknown)[] = []
    let writer: TestNode
    let node: TestNode
    before(async () => {
      const world = await ClusterWorld.open(servers, {
        after: (cleanup) => void cleanups.push(cleanup as () => unknown),
      })
      ;[writer, node] = [await world.node(), await world.node()]
      writer.start()
      node.start()
      // Rows of these suites have versions of their own, which are not those of commits.
      await world.query(`UPDATE settling SET pruned_through = ${Number.MAX_SAFE_INTEGER}`)
    })
    after(async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup()
    })
    const write = async (rows: Parameters<typeof commitRows>[1]) => {
      await writer.store.settled()
      await commitRows(writer, rows)
      await node.log.follow()
    }
    testTraceStore(() => ({
      store: node.store,
      write: (traces, steps, metricEvents = []) => write({ traces, steps, metricEvents }),
      async merge() {
        await node.store.settled()
        for (const shard of node.shards) await shard.command('OPTIMIZE TABLE traces FINAL')
      },
    }))
    const deleted = new Set<TraceId>()
    testMetricEventStore(() => ({
      store: new JoinedMetricEventStore({
        recent: node.store.recentMetricEvents,
        settled: new ClickHouseMetricEvents(node.engine),
        journal: {
          removedEvents: async () => new Set(),
          deletedAmong: async (ids) => new Set(ids.filter((id) => deleted.has(id))),
        },
        clock: { now: () => Date.UTC(2026, 5, 1) },
      }),
      async write(events, { runType, models, metadata } = { runType: 'agent', models: [], metadata: {} }) {
        const termsOf = termsWithInherited(Buffer.from(JSON.stringify(metadata)))
        await write({
          metricEvents: events.map((record) =>
            newMetricEvent(record, { runType, models, terms: termsOf(record.metadata) }),
          ),
        })
      },
      deleteTrace: async (_projectId, traceId) => void deleted.add(traceId),
    }))
  })
}
