import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect, type CompiledQuery, type SqliteDatabase } from 'kysely'
import type { ControlSchema } from './control-schema.ts'
import { runAtomically } from './run-atomically.ts'
import { type OnReadError, readOrRefuse } from './sqlite-error.ts'

export type ControlQueries = Kysely<ControlSchema>

/**
 * Kysely on a node:sqlite connection, which the caller owns and closes. Single statements only: Kysely's transactions stay open over turns of the event loop, and
 * the journal, on the same connection, would run into them. Several writes at once go through `executeAtomically`. A disk or a lock that fails a statement is a DomainError, as there.
 */
export function createQueries(database: DatabaseSync, onReadError: OnReadError = () => undefined): ControlQueries {
  return new Kysely<ControlSchema>({ dialect: new SqliteDialect({ database: adapt(database, onReadError) }) })
}

/** All of these writes or none, durable when it returns. */
export function executeAtomically(database: DatabaseSync, writes: readonly CompiledQuery[]): void {
  runAtomically(database, () => {
    for (const { sql, parameters } of writes) database.prepare(sql).run(...bindable(parameters))
  })
}

function adapt(database: DatabaseSync, onReadError: OnReadError): SqliteDatabase {
  return {
    close: () => undefined,
    prepare(sql) {
      if (/^\s*(begin|savepoint)\b/i.test(sql)) {
        throw new Error('transactions through Kysely are refused on SQLite: use executeAtomically')
      }
      const statement = readOrRefuse(() => database.prepare(sql), onReadError)
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => readOrRefuse(() => statement.all(...bindable(parameters)), onReadError),
        run: (parameters) => readOrRefuse(() => statement.run(...bindable(parameters)), onReadError),
        iterate: (parameters) => statement.iterate(...bindable(parameters)),
      }
    },
  }
}

function bindable(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || value instanceof Uint8Array) return value
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value
    throw new TypeError(`SQLite has no value for a parameter of type ${typeof value}`)
  })
}
