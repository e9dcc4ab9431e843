import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'
import { raw } from './raw-statement.ts'
import type { BoundStatement, SqlDatabase } from './sql-database.ts'

/** A table whose rows are inserted from an array for each column. */
export interface ArrayTable<Row> {
  readonly name: string
  readonly columns: Readonly<Record<keyof Row & string, ColumnType>>
  /** For rows that exist already. */
  readonly conflict?: RawBuilder<unknown>
}

/**
 * Inserts rows: on SQLite one by one, because it needs no round trips; on PostgreSQL thousands in one statement of one
 * shape.
 */
export function insertArrays<Schema, Row extends object>(
  database: SqlDatabase<Schema>,
  table: ArrayTable<Row>,
): (rows: Iterable<Row>) => Iterable<BoundStatement> {
  const columns = Object.keys(table.columns) as (keyof Row & string)[]
  if (database.dialect === 'sqlite') {
    const insertOne = database.statement((queries, row: Row) =>
      raw(queries, insertFrom(table, sql`VALUES (${sql.join(columns.map((column) => row[column]))})`)),
    )
    return function* (rows) {
      for (const row of rows) yield insertOne(row)
    }
  }
  const insertMany = database.statement((queries, arrays: Arrays) =>
    raw(
      queries,
      insertFrom(table, sql`SELECT given.* FROM ${rowsOfArrays(table.columns, (column) => arrays[column])}`),
    ),
  )
  return function* (rows) {
    for (const part of inParts([...rows])) yield insertMany(toArrays(table, part))
  }
}

/** By column. */
type Arrays = Readonly<Record<string, readonly unknown[]>>

export function toArrays<Row>({ columns }: ArrayTable<Row>, rows: readonly Row[]): Arrays {
  const names = Object.keys(columns) as (keyof Row)[]
  return Object.fromEntries(names.map((column) => [column, columnOf(rows, column)]))
}

export function insertFrom<Row>({ name, columns, conflict }: ArrayTable<Row>, rows: RawBuilder<unknown>) {
  const names = Object.keys(columns).map((column) => sql.id(column))
  const onConflict = conflict === undefined ? sql`` : sql`ON CONFLICT ${conflict}`
  return sql`INSERT INTO ${sql.table(name)} (${sql.join(names)}) ${rows} ${onConflict}`
}

/** Rows as a statement's source, named `given`. PostgreSQL only. */
export function rowsOfArrays<Row>(
  types: ArrayTable<Row>['columns'],
  valuesOf: (column: keyof Row & string) => unknown,
): AliasedRawBuilder<Row, 'given'> {
  const names = Object.keys(types) as (keyof Row & string)[]
  const arrays = names.map((name) => sql`${valuesOf(name)}::${sql.raw(types[name])}[]`)
  return sql<Row>`unnest(${sql.join(arrays)})`.as<'given'>(
    sql`${sql.id('given')}(${sql.join(names.map((name) => sql.id(name)))})`,
  )
}

type ColumnType = 'bytea' | 'bigint' | 'double precision' | 'text'

/** The values of one column of many rows. */
export function columnOf<Row, Column extends keyof Row>(rows: readonly Row[], column: Column): Row[Column][] {
  return rows.map((row) => row[column])
}

/** Rows of one statement. */
export const MOST_ROWS = 5000

/** Parts of a long list: an array of PostgreSQL travels as text, and has to fit in memory several times. */
export function* inParts<T>(rows: readonly T[], most = MOST_ROWS): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += most) yield rows.slice(from, from + most)
}
