import type { BoundStatement, SqlDatabase } from './sql-database.ts'
import { sqlTextOn } from './sql-text.ts'

/** A table whose rows are inserted from an array for each column. */
export interface ArrayTable<Row> {
  readonly name: string
  readonly columns: Readonly<Record<keyof Row & string, ColumnType>>
  /** For rows that exist already. */
  readonly conflict?: string
}

type ColumnType = 'bytea' | 'bigint' | 'double precision' | 'text'

/**
 * Inserts rows: on SQLite one by one, because it needs no round trips; on PostgreSQL thousands in one statement of one
 * shape.
 */
export function insertArrays<Schema, Row extends object>(
  database: SqlDatabase<Schema>,
  table: ArrayTable<Row>,
): (rows: Iterable<Row>) => Iterable<BoundStatement> {
  const { query } = sqlTextOn(database)
  const parameter = (column: string) => `:${column}`
  if (database.dialect === 'sqlite') {
    const insertOne = query<Row>(insertFrom(table, `VALUES (${Object.keys(table.columns).map(parameter).join(', ')})`))
    return function* (rows) {
      for (const row of rows) yield insertOne(row)
    }
  }
  const given = rowsOfArrays(table.columns, parameter)
  const insertMany = query<Arrays>(insertFrom(table, `SELECT given.* FROM ${given}`))
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

export function insertFrom<Row>({ name, columns, conflict }: ArrayTable<Row>, rows: string): string {
  const onConflict = conflict === undefined ? '' : `ON CONFLICT ${conflict}`
  return `INSERT INTO ${name} (${Object.keys(columns).join(', ')}) ${rows} ${onConflict}`
}

/** Rows as a statement's source, named `given`. PostgreSQL only. */
export function rowsOfArrays(
  types: Readonly<Record<string, ColumnType>>,
  valuesOf: (column: string) => string,
): string {
  const arrays = Object.entries(types).map(([name, type]) => `${valuesOf(name)}::${type}[]`)
  return `unnest(${arrays.join(', ')}) AS given(${Object.keys(types).join(', ')})`
}

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
