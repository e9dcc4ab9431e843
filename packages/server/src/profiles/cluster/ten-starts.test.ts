import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SHARDS, startClickHouse } from '../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { whileLeased } from '../../ports/leases/while-leased.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import { telemetryMigrations } from '../../storage/clickhouse/migrations/telemetry-migrations.ts'
import { openServerSchema } from '../../storage/clickhouse/server/open-server-schema.ts'
import { prepareServer } from '../../storage/clickhouse/server/prepare-server.ts'
import { postgresqlStoresOn } from '../../storage/sql/postgresql/postgresql-stores.ts'
import { testPostgresql } from '../../storage/sql/postgresql/test-postgresql.test-support.ts'

const postgresql = await testPostgresql()
const servers = await startClickHouse(2)
const missing = [postgresql, servers].find((one) => typeof one === 'string')
if (typeof postgresql === 'string' || typeof servers === 'string') {
  test('ten nodes that start at once', { skip: String(missing) }, () => undefined)
} else {
  after(() => Promise.all(servers.map((server) => server[Symbol.asyncDispose]())))
  test('ten nodes that start at once make the schema of two shards once', async (context) => {
    const [server] = servers
    assert.ok(server)
    const url = await postgresql.emptyUrl(context)
    const address = { url: server.url, user: server.user, password: server.password, ca: null, database: 'ten' }
    const created: string[] = []
    const start = async (holder: string) => {
      // Also the schema of PostgreSQL.
      const database = await postgresql.open(context, { url, mostConnections: 2 })
      const { leases } = postgresqlStoresOn(database, systemClock)
      const urls = servers.map((one) => one.url)
      const prepared = await prepareServer({ ...address, readers: 1 }, { cluster: SHARDS, urls })
      context.after(() => prepared.engine.close())
      const counting = (shard: TelemetryEngine): TelemetryEngine => ({
        ...shard,
        command: (sql) => {
          if (/^CREATE (OR REPLACE )?TABLE (?!IF NOT EXISTS shard_place)/.test(sql)) created.push(sql)
          return shard.command(sql)
        },
      })
      await openServerSchema({ ...prepared, shards: prepared.shards.map(counting) }, (work) =>
        whileLeased({ leases, timers: systemTimers, name: 'schema of ClickHouse', holder }, work),
      )
      return prepared.shards
    }
    const [shards] = await Promise.all(Array.from({ length: 10 }, (_, index) => start(`node ${index}`)))
    assert.ok(shards)
    for (const shard of shards) {
      const recorded = await shard.select('SELECT version FROM schema_versions ORDER BY version')
      assert.deepEqual(
        recorded.map(([version]) => version),
        telemetryMigrations().map(({ version }) => version),
      )
    }
    const spread = created.filter((sql) => sql.startsWith('CREATE OR REPLACE'))
    assert.equal(spread.length, 2 * 4)
    const once = created.filter((sql) => sql.startsWith('CREATE TABLE IF NOT EXISTS metric_points'))
    assert.equal(once.length, 2)
  })
}
