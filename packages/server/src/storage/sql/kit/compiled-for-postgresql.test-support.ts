import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { CLUSTER_MIGRATIONS, CONTROL_MIGRATIONS, DELIVERY_MIGRATIONS } from '../schema/schemas.ts'
import { compileOnce } from './compile-once.ts'
import type { SqlDatabase } from './sql-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/** Syntax that only SQLite has. */
const ONLY_SQLITE = /\bindexed by\b|\binsert or\b|\breplace into\b|\bpragma\b|\blimit -1\b|\bjson_each\b|\browid\b|\?/i

/**
 * For tests: creates a store, compiles its statements for PostgreSQL and fails if one contains syntax that only SQLite
 * has. Also prepares them on SQLite, which fails if a table or column does not exist. Returns the SQL for PostgreSQL in
 * the order in which it was compiled.
 */
export function compiledForPostgresql<Tables>(
  makeStore: (database: SqlDatabase<Tables>) => unknown,
  moreTables = '',
): readonly string[] {
  const queries = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const compiled: string[] = []
  const database: SqlDatabase<Tables> = {
    dialect: 'postgresql',
    withTables: () => database as never,
    statement(build) {
      const statement = compileOnce(queries, build)
      compiled.push(statement({} as never).sql)
      return statement
    },
    bound(build) {
      const { sql, parameters } = build(queries).compile()
      compiled.push(sql)
      return { sql, parameters }
    },
    version: refuse,
    read: refuse,
    write: refuse,
    writeAtOnce: refuse,
  }
  makeStore(database)
  makeStore(preparing(moreTables))
  assert.ok(compiled.length > 0)
  for (const sql of compiled) assert.doesNotMatch(sql, ONLY_SQLITE)
  return compiled
}

const refuse = () => Promise.reject(new Error('statements are only compiled here'))

/** Statements whose columns are those of a row, here of an empty one; types check these. */
const WITHOUT_ROW = /\(\) values \(\)|\bset +(?:where|$)/i

/** All tables, empty. */
function preparing<Tables>(moreTables: string): SqlDatabase<Tables> {
  const tables = new DatabaseSync(':memory:')
  tables.exec(moreTables)
  for (const { statements } of [...CONTROL_MIGRATIONS, ...CLUSTER_MIGRATIONS, ...DELIVERY_MIGRATIONS])
    tables.exec(statements)
  const database = new SqliteDatabase<Tables>(tables)
  const prepared: SqlDatabase<Tables> = {
    dialect: 'sqlite',
    withTables: () => prepared as never,
    statement(build) {
      const statement = database.statement(build)
      const { sql } = statement({} as never)
      if (!WITHOUT_ROW.test(sql)) tables.prepare(sql)
      return statement
    },
    bound(build) {
      const bound = database.bound(build)
      tables.prepare(bound.sql)
      return bound
    },
    version: refuse,
    read: refuse,
    write: refuse,
    writeAtOnce: refuse,
  }
  return prepared
}
