import { onServer } from './use-server.test-support.ts'

// Two more run on tables over two servers, reads-on-two-shards.test.ts, which contain tables of one; that of metric
// events runs on a server in cluster-store-conformance.test.ts.
await onServer(async () => {
  await import('../feed/feed-conformance.test.ts')
  await import('../measures/monitor-measures-conformance.test.ts')
  await import('../rows/clickhouse-cluster-traces.test.ts')
})
