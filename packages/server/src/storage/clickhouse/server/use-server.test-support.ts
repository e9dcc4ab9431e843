import { after, test } from 'node:test'
import {
  type ClickHouseServer,
  SHARDS,
  startClickHouse,
} from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { openTemporaryEnginesBy, type OpenTemporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { openServerSchema } from './open-server-schema.ts'
import { prepareServer } from './prepare-server.ts'

/**
 * For tests of the embedded engine, which `importTests` imports: they run on a server, where each temporary engine is a
 * new database. Where no server can run, one skipped test says why.
 */
export function onServer(importTests: (servers: readonly ClickHouseServer[]) => Promise<void>): Promise<void> {
  return onServers(1, newDatabaseOn, importTests)
}

/** The same with engines over `count` servers. */
export async function onServers(
  count: number,
  enginesOn: (servers: readonly ClickHouseServer[]) => OpenTemporaryEngine,
  importTests: (servers: readonly ClickHouseServer[]) => Promise<void>,
): Promise<void> {
  const servers = await startClickHouse(count)
  if (typeof servers === 'string') {
    test('a ClickHouse server', { skip: servers }, () => undefined)
    return
  }
  after(() => Promise.all(servers.map((server) => server[Symbol.asyncDispose]())))
  openTemporaryEnginesBy(enginesOn(servers))
  const imported = importTests(servers)
  // As soon as no test is left, the hooks above run, also while another file is being imported.
  test('all tests are imported', () => imported)
  await imported
}

/** Opens databases `spoor_1`, `spoor_2` and so on, each with the latest schema; over several servers, each a shard. */
export function newDatabaseOn(servers: readonly ClickHouseServer[]): OpenTemporaryEngine {
  let databases = 0
  const { url, user, password } = servers[0] as ClickHouseServer
  const cluster = servers.length === 1 ? null : SHARDS
  return async (onReadError) => {
    databases += 1
    const options = { url, user, password, ca: null, database: `spoor_${databases}`, readers: 2, onReadError }
    const prepared = await prepareServer(options, { cluster, urls: servers.map((server) => server.url) })
    after(() => prepared.engine.close())
    await openServerSchema(prepared)
    return {
      ...prepared.engine,
      async command(sql) {
        for (const shard of prepared.shards) await shard.command(sql)
      },
    }
  }
}
