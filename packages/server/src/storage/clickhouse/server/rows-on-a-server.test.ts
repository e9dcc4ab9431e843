import { onServer } from './use-server.test-support.ts'

await onServer(async () => {
  await import('../engine/literal.test.ts')
  await import('../engine/read-failure.test.ts')
  await import('../feed/clickhouse-trace-row-groups.test.ts')
  await import('../rows/clickhouse-trace-store.test.ts')
  await import('../rows/step-row.test.ts')
  await import('../rows/trace-purge.test.ts')
})
