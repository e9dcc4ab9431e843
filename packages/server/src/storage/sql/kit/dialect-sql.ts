import { type AliasedRawBuilder, type Expression, type Selectable, sql } from 'kysely'
import type { SqlDatabase } from './sql-database.ts'

/*
 * SQL that the dialects spell differently and that Kysely has no builder for.
 */

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

/** The larger of a stored and a bound number: `max` with two arguments on SQLite, `greatest` on PostgreSQL. */
export function larger({ dialect }: Pick<SqlDatabase<unknown>, 'dialect'>, stored: Expression<number>, bound: number) {
  return sql<number>`${sql.raw(dialect === 'sqlite' ? 'max' : 'greatest')}(${stored}, ${bound})`
}
