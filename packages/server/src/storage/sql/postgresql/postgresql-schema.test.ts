import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { OperatorError } from '../../../lib/operator-error.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import {
  CLUSTER_MIGRATIONS,
  CONTROL_MIGRATIONS,
  DELIVERY_MIGRATIONS,
  POSTGRESQL_MIGRATIONS,
} from '../schema/schemas.ts'
import { runMigrations } from '../run-migrations.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'

const OPENERS = 10
/** Types of PostgreSQL by those of SQLite. */
const TYPES = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea', REAL: 'double precision' } as const
/** Tables, and a column. */
const ONLY_POSTGRESQL = ['control_version', 'commits', 'settling', 'settled_marks', 'nodes', 'journal_state.heads']
const VERSIONS = POSTGRESQL_MIGRATIONS.map(({ version }) => ({ version: String(version) }))

const server = await testPostgresql()
if (typeof server === 'string') test('the schema of PostgreSQL', { skip: server }, () => undefined)
else testSchema(server)

function testSchema(postgresql: TestPostgresql): void {
  const refusal = async (context: TestContext, url: string): Promise<string> => {
    const error = await postgresql.open(context, { url }).then(
      () => assert.fail('it was opened'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof OperatorError, String(error))
    return error.message
  }

  test('both dialects have the same tables, columns and indexes', async (context) => {
    const url = await postgresql.migratedUrl(context)
    const columns = await postgresql.query(
      url,
      `SELECT table_name || '.' || column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable, collation_name
       FROM information_schema.columns WHERE table_schema = 'public'`,
    )
    const known = columns.filter(({ name }) => !ONLY_POSTGRESQL.some((only) => `${name}.`.startsWith(`${only}.`)))
    const indexes = await postgresql.query(url, `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public'`)
    const sqlite = sqliteSchema()
    assert.deepEqual(
      known.map(({ name, type, nullable }) => ({ name, type, nullable })).toSorted(byName),
      sqlite.columns.toSorted(byName),
    )
    const named = new Set(sqlite.indexes)
    assert.deepEqual(new Set(indexes.map(({ name }) => name).filter((name) => named.has(`${name}`))), named)
    const ofLanguage = known.filter(({ type, collation_name: collation }) => type === 'text' && collation !== 'C')
    assert.deepEqual(
      ofLanguage.map(({ name }) => name),
      ['schema_versions.name'],
    )
  })

  test(`${OPENERS} that open an empty database at once run each migration once`, async (context) => {
    const url = await postgresql.emptyUrl(context)
    await Promise.all(Array.from({ length: OPENERS }, () => postgresql.open(context, { url })))
    assert.deepEqual(await postgresql.query(url, 'SELECT version FROM schema_versions ORDER BY version'), VERSIONS)
    await postgresql.open(context, { url })
    assert.deepEqual(await postgresql.query(url, 'SELECT version FROM schema_versions ORDER BY version'), VERSIONS)
  })

  test('a database of a newer Spoor is rejected with an instruction', async (context) => {
    const url = await postgresql.migratedUrl(context)
    await postgresql.query(url, "INSERT INTO schema_versions VALUES (99, 'of the future', 0)")
    assert.match(
      await refusal(context, url),
      /^The database test_\w+ on 127.0.0.1:\d+ was written by a newer version of Spoor \(schema 99; this one knows \d+\)\. Start that version/,
    )
  })

  test('a database from before the first release is rejected with an instruction', async (context) => {
    const url = await postgresql.migratedUrl(context)
    await postgresql.query(url, 'UPDATE schema_versions SET version = 12')
    assert.match(await refusal(context, url), /^The database test_\w+ on .* before its first release \(schema 12;/)
  })

  test("another program's database is rejected and not changed", async (context) => {
    const url = await postgresql.emptyUrl(context)
    await postgresql.query(url, 'CREATE TABLE schema_versions (version TEXT)')
    assert.match(await refusal(context, url), /has tables of another program/)
    assert.deepEqual(await postgresql.query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [
      { tablename: 'schema_versions' },
    ])
  })

  test('a database that cannot be opened is explained, without the password', async (context) => {
    const url = await postgresql.emptyUrl(context)
    const { password } = new URL(url)
    const changed = (change: (to: URL) => void) => {
      const to = new URL(url)
      change(to)
      return to.href
    }
    const cases: readonly (readonly [string, RegExp])[] = [
      [changed((to) => (to.port = '1')), /^PostgreSQL cannot be reached for the database test_\w+ on 127.0.0.1:1: /],
      [changed((to) => (to.pathname = '/none')), /^PostgreSQL refused the database none on .*does not exist/],
      [
        changed((to) => (to.password = 'wrong')),
        /^PostgreSQL refused .*password authentication failed for user "spoor"/,
      ],
      [`postgresql://spoor:${password}@:x/y`, /^The URL of PostgreSQL cannot be read\. It must look like/],
      [url.replace('postgresql:', 'mysql:'), /cannot be read/],
      [`${url}?sslmode=off`, /has a sslmode that does not match \^\(disable\|require\|verify-full\)\$/],
      [`${url}?target_session_attrs=standby`, /has a target_session_attrs that does not match/],
      [`${url}?channel_binding=maybe`, /has a channel_binding that does not match/],
      [`${url}?connect_timeout=0`, /has a connect_timeout that does not match/],
      [url.replace('127.0.0.1', '127.0.0.1:5432,127.0.0.1:99999,127.0.0.1'), /cannot be read/],
      [
        url.replace(/@[^/]+/, '@127.0.0.1:1,127.0.0.1:2'),
        /cannot be reached for the database test_\w+ on 127.0.0.1:1: /,
      ],
      [`${url}?sslrootcert=x`, /has the parameter sslrootcert, which Spoor does not know/],
      [changed((to) => (to.username = '')), /names no user or no database/],
      [changed((to) => (to.pathname = '/%zz')), /has a % that is not followed/],
    ]
    for (const [wrong, message] of cases) {
      const error: unknown = await postgresql.open(context, { url: wrong }).catch((reason: unknown) => reason)
      assert.ok(error instanceof OperatorError, inspect(error))
      assert.match(error.message, message)
      assert.ok(!inspect(error, { depth: 20 }).includes(password))
    }
  })
}

interface Column {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
}

/** Of the three files together, in the words of PostgreSQL. */
function sqliteSchema(): { readonly columns: readonly Column[]; readonly indexes: readonly string[] } {
  const columns = new Map<string, Column>()
  const indexes: string[] = []
  for (const migrations of [CONTROL_MIGRATIONS, CLUSTER_MIGRATIONS, DELIVERY_MIGRATIONS]) {
    const database = new DatabaseSync(':memory:')
    runMigrations(database, migrations, systemClock)
    const rows = database.prepare(
      `SELECT m.name || '.' || c.name AS name, c.type, c."notnull" AS required
       FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    )
    for (const { name, type, required } of rows.all()) {
      columns.set(`${name}`, { name: `${name}`, type: TYPES[type as keyof typeof TYPES], nullable: required === 0 })
    }
    const named = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    indexes.push(...named.all().map(({ name }) => `${name}`))
    database.close()
  }
  return { columns: [...columns.values()], indexes }
}

function byName(a: { readonly name: unknown }, b: { readonly name: unknown }): number {
  return `${a.name}` < `${b.name}` ? -1 : 1
}
