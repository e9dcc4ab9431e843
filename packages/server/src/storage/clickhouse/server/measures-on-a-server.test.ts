import { useServer } from './use-server.test-support.ts'

if (await useServer()) {
  await import('../measures/monitor-measures-conformance.test.ts')
  await import('../measures/clickhouse-monitor-measures.test.ts')
}
