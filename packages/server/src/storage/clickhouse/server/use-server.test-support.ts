import { after, test } from 'node:test'
import { startClickHouse } from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { openTemporaryEnginesOn } from '../engine/temporary-engine.test-support.ts'

/**
 * For tests: a server for all temporary engines of this process, so that tests of the embedded engine run on it when
 * they are imported. False where there is none; then one skipped test says why.
 */
export async function useServer(): Promise<boolean> {
  const servers = await startClickHouse()
  if (typeof servers === 'string') {
    test('a ClickHouse server', { skip: servers }, () => undefined)
    return false
  }
  const [server] = servers
  after(() => server?.[Symbol.asyncDispose]())
  if (server !== undefined) openTemporaryEnginesOn(server)
  return true
}
