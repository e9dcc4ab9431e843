import { useServer } from './use-server.test-support.ts'

if (await useServer()) {
  await import('../engine/literal.test.ts')
  await import('../engine/read-failure.test.ts')
  await import('../rows/clickhouse-trace-store.test.ts')
  await import('../rows/trace-row.test.ts')
  await import('../rows/step-row.test.ts')
  await import('../rows/metric-event-row.test.ts')
  await import('../rows/trace-purge.test.ts')
  await import('../search/row-rewriter.test.ts')
}
