import type { SqlDatabase } from './sql-database.ts'

/*
 * SQL that the dialects spell differently.
 */

type Dialect = Pick<SqlDatabase<unknown>, 'dialect'>

/**
 * Stands after a table and its alias, which SQLite then reads through this index; without it, SQLite's planner may
 * choose another one or a full scan, because the stores do not run ANALYZE. PostgreSQL keeps statistics.
 */
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
