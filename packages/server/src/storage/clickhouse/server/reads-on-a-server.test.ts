import { onServer } from './use-server.test-support.ts'

await onServer(async () => {
  await import('../feed/trace-facets-conformance.test.ts')
  await import('../feed/feed-candidates.test.ts')
  await import('../measures/monitor-measures-conformance.test.ts')
  await import('../rows/clickhouse-cluster-traces.test.ts')
  await import('../series/metric-series-conformance.test.ts')
  await import('../../recent/joined-metric-event-store.test.ts')
})
