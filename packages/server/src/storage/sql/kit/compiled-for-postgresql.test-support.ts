import assert from 'node:assert/strict'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { compileOnce } from './compile-once.ts'
import type { SqlDatabase } from './sql-database.ts'

/** Syntax that only SQLite has. */
const ONLY_SQLITE = /\bindexed by\b|\binsert or\b|\breplace into\b|\bpragma\b|\blimit -1\b|\bjson_each\b|\browid\b|\?/i

/**
 * For tests: creates a store, compiles its statements for PostgreSQL and fails if one contains syntax that only SQLite
 * has. Returns the SQL in the order in which it was compiled.
 */
export function compiledForPostgresql<Tables>(
  makeStore: (database: SqlDatabase<Tables>) => unknown,
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
  const refuse = () => Promise.reject(new Error('statements are only compiled here'))
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
  }
  makeStore(database)
  assert.ok(compiled.length > 0)
  for (const sql of compiled) assert.doesNotMatch(sql, ONLY_SQLITE)
  return compiled
}
