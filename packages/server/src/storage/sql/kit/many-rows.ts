import { type Compilable, type Kysely, sql } from 'kysely'
import { inParts } from './column-arrays.ts'
import { raw } from './raw-statement.ts'
import type { BoundStatement, SqlDatabase } from './sql-database.ts'

/** Rows of one statement: PostgreSQL takes at most 65,535 parameters. */
const MOST_ROWS = 1000

/**
 * Statements for many rows. On SQLite one for each row, which is compiled once; on PostgreSQL, where each costs a round
 * trip, one for 1000 rows.
 */
type RowsStatement<Row, Result> = (rows: readonly Row[]) => readonly BoundStatement<Result>[]

/** Inserts rows, which MUST have the same members: `build` gets placeholders for those of the first. */
export function insertRows<Schema, Row extends object, Result>(
  database: SqlDatabase<Schema>,
  build: (queries: Kysely<Schema>, rows: readonly Row[]) => Compilable<Result>,
): RowsStatement<Row, Result> {
  if (database.dialect === 'sqlite') {
    const insertOne = database.statement((queries, row: Row) => build(queries, [row]))
    return (rows) => rows.map((row) => insertOne(row))
  }
  return (rows) => [...inParts(rows, MOST_ROWS)].map((part) => database.bound((queries) => build(queries, part)))
}

/** Updates these columns of rows with different values. `key` is an integer. */
export function updateRows<Schema, Row extends object>(
  database: SqlDatabase<Schema>,
  table: keyof Schema & string,
  key: keyof Row & string,
  types: { readonly [Column in keyof Row & string]?: 'bigint' | 'text' },
): RowsStatement<Row, unknown> {
  const columns = Object.keys(types) as (keyof Row & string)[]
  const set = (value: (column: keyof Row & string) => unknown) =>
    sql.join(columns.map((column) => sql`${sql.ref(column)} = ${value(column)}`))
  if (database.dialect === 'sqlite') {
    const updateOne = database.statement((queries, row: Row) =>
      raw(
        queries,
        sql`UPDATE ${sql.table(table)} SET ${set((column) => row[column])} WHERE ${sql.ref(key)} = ${row[key]}`,
      ),
    )
    return (rows) => rows.map((row) => updateOne(row))
  }
  const given = sql.raw([`${key} bigint`, ...columns.map((column) => `${column} ${types[column]}`)].join(', '))
  // The planner does not know how few rows the JSON has: it uses the index for a list of keys.
  const updateAll = database.statement((queries, { rows, keys }: { rows: string; keys: string }) =>
    raw(
      queries,
      sql`UPDATE ${sql.table(table)} AS t SET ${set((column) => sql.ref(`x.${column}`))}
        FROM json_to_recordset(${rows}::json) AS x (${given})
        WHERE t.${sql.ref(key)} = x.${sql.ref(key)}
          AND t.${sql.ref(key)} = ANY (string_to_array(${keys}, ',')::bigint[])`,
    ),
  )
  return (rows) =>
    [...inParts(rows, MOST_ROWS)].map((part) =>
      updateAll({ rows: JSON.stringify(part), keys: part.map((row) => row[key]).join() }),
    )
}
