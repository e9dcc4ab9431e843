import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startClickHouse } from '../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { whileLeased } from '../../ports/leases/while-leased.ts'
import { openTelemetrySchema } from '../../storage/clickhouse/migrations/open-telemetry-schema.ts'
import { telemetryMigrations } from '../../storage/clickhouse/migrations/telemetry-migrations.ts'
import { prepareServer } from '../../storage/clickhouse/server/prepare-server.ts'
import { postgresqlStoresOn } from '../../storage/sql/postgresql/postgresql-stores.ts'
import { testPostgresql } from '../../storage/sql/postgresql/test-postgresql.test-support.ts'

const postgresql = await testPostgresql()
const servers = await startClickHouse(1)
const missing = [postgresql, servers].find((one) => typeof one === 'string')
if (typeof postgresql === 'string' || typeof servers === 'string') {
  test('ten nodes that start at once', { skip: String(missing) }, () => undefined)
} else {
  after(() => Promise.all(servers.map((server) => server[Symbol.asyncDispose]())))
  test('ten nodes that start at once make the schema of ClickHouse once', async (context) => {
    const [server] = servers
    assert.ok(server)
    const url = await postgresql.emptyUrl(context)
    const address = { url: server.url, user: server.user, password: server.password, ca: null, database: 'ten' }
    let commands = 0
    const start = async (holder: string) => {
      // Also the schema of PostgreSQL.
      const database = await postgresql.open(context, { url, mostConnections: 2 })
      const { leases } = postgresqlStoresOn(database, systemClock)
      const { engine, dialect } = await prepareServer({ ...address, readers: 1 })
      context.after(() => engine.close())
      const counting = {
        ...engine,
        command: (sql: string) => {
          if (sql.startsWith('CREATE TABLE')) commands += 1
          return engine.command(sql)
        },
      }
      await openTelemetrySchema(counting, {
        dialect,
        lease: (work) => whileLeased({ leases, timers: systemTimers, name: 'schema of ClickHouse', holder }, work),
        place: 'ClickHouse',
      })
      return engine
    }
    const [engine] = await Promise.all(Array.from({ length: 10 }, (_, index) => start(`node ${index}`)))
    assert.ok(engine)
    const recorded = await engine.select('SELECT version FROM schema_versions ORDER BY version')
    assert.deepEqual(
      recorded.map(([version]) => version),
      telemetryMigrations().map(({ number }) => number),
    )
    const [tables] = await engine.select('SELECT count() FROM system.tables WHERE database = currentDatabase()')
    assert.ok(commands >= 5 && commands <= 2 * (tables?.[0] as number), `${commands} tables were created`)
  })
}
