import { sql } from 'kysely'
import { listStatement } from './list-statement.ts'
import { raw } from './raw-statement.ts'
import type { SqlDatabase } from './sql-database.ts'

/** `:name`, but not the cast `::type`. */
const PARAMETER = /(?<![:\w]):(\w+)/

/** Statements that are written as SQL text, for both dialects. In the text, `:name` stands for a value bound later. */
export function sqlTextOn<Schema>(database: Pick<SqlDatabase<Schema>, 'statement'>) {
  return {
    query: <Parameters extends object = object, Row = unknown>(text: string) =>
      database.statement<Parameters, Row>((queries, parameters) =>
        raw(
          queries,
          boundText<Row>(text, (name) => parameters[name as keyof Parameters]),
        ),
      ),
    /** About a list of values, whose place is `:values`: see `listStatement`. */
    listQuery: <Value, Row = unknown, Parameters extends object = object>(text: string) =>
      listStatement<Schema, Value, Parameters, Row>(database, (queries, values, parameters) =>
        raw(
          queries,
          boundText<Row>(text, (name) => (name === 'values' ? sql.join(values) : parameters[name as keyof Parameters])),
        ),
      ),
  }
}

function boundText<Row>(text: string, valueOf: (name: string) => unknown) {
  // Names are at odd places: the expression captures them.
  const parts = text.split(PARAMETER).map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql`${valueOf(part)}`))
  return sql<Row>`${sql.join(parts, sql``)}`
}
