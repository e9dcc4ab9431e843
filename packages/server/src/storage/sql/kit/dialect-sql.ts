import { type AliasedRawBuilder, type Selectable, sql } from 'kysely'
import type { SqlDatabase } from './sql-database.ts'

/*
 * SQL that the dialects spell differently.
 */

type Dialect = Pick<SqlDatabase<unknown>, 'dialect'>

/**
 * A table for `selectFrom` that SQLite reads through this index; without it, SQLite's planner may choose another one or
 * a full scan, because the stores do not run ANALYZE. PostgreSQL keeps statistics and has no such clause: it gets the
 * table alone.
 */
export function indexedTable<Tables, Table extends keyof Tables & string>(
  database: SqlDatabase<Tables>,
  table: Table,
  index: string,
): AliasedRawBuilder<Selectable<Tables[Table]>, Table> {
  const alias = database.dialect === 'sqlite' ? sql`${sql.id(table)} indexed by ${sql.id(index)}` : sql.id(table)
  return sql<Selectable<Tables[Table]>>`${sql.table(table)}`.as<Table>(alias)
}

/** The same for a statement that is written as text: stands after the table and its alias. */
export function indexedBy({ dialect }: Dialect, index: string): string {
  return dialect === 'sqlite' ? `INDEXED BY ${index}` : ''
}

/** A clause that locks rows, such as `FOR UPDATE`. Nothing on SQLite, whose transactions are serial. */
export function locking({ dialect }: Dialect, clause: string): string {
  return dialect === 'sqlite' ? '' : clause
}

/**
 * Compares with the few rows of a query. PostgreSQL gets them as an array: its planner does not know how few they are,
 * and would join whole tables.
 */
export function inFew({ dialect }: Dialect, query: string): string {
  return dialect === 'sqlite' ? `IN (${query})` : `= ANY (ARRAY(${query}))`
}
