import { useServer } from './use-server.test-support.ts'

if (await useServer()) {
  await import('../feed/trace-facets-conformance.test.ts')
  await import('../feed/clickhouse-trace-facets.test.ts')
  await import('../feed/feed-candidates.test.ts')
  await import('../rows/clickhouse-cluster-traces.test.ts')
  await import('../../embedded/logged-metric-event-store.test.ts')
  await import('../../embedded/logged-trace-store.test.ts')
}
