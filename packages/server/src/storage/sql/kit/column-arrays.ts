import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'

/** A parameter of many values, one for each row. PostgreSQL alone has arrays. */
type Values<T> = readonly T[]

/**
 * Rows as a statement's source, from an array for each column: thousands of rows in one statement of one shape.
 * PostgreSQL only.
 */
export function rowsOfArrays<Row>(columns: {
  readonly [Column in keyof Row & string]: { readonly values: Values<Row[Column]>; readonly type: ColumnType }
}): AliasedRawBuilder<Row, 'given'> {
  const names = Object.keys(columns) as (keyof Row & string)[]
  const arrays: RawBuilder<unknown>[] = names.map((name) => {
    const { values, type } = columns[name]
    return sql`${values}::${sql.raw(type)}[]`
  })
  return sql<Row>`unnest(${sql.join(arrays)})`.as<'given'>(
    sql`${sql.id('given')}(${sql.join(names.map((name) => sql.id(name)))})`,
  )
}

export type ColumnType = 'bytea' | 'bigint' | 'double precision' | 'text'

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
