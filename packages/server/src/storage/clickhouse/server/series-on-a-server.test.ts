import { useServer } from './use-server.test-support.ts'

if (await useServer()) {
  await import('../series/metric-series-conformance.test.ts')
  await import('../series/clickhouse-metric-series.test.ts')
  await import('../series/clickhouse-trace-series.test.ts')
  await import('../series/trace-series-groups.test.ts')
}
