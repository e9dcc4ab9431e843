import type { Compilable, Kysely } from 'kysely'
import { all, run, type BoundStatement, type SqlDatabase, type Statement, type Work } from './sql-database.ts'

/** Numbers of placeholders. A list takes the smallest that fits; a longer one is split into parts. */
const SIZES = [8, 64, 512] as const
const LARGEST = SIZES.at(-1)!

/** Binds a list, split into parts; an empty list has none. */
type ListStatement<Value, Parameters, Row> = (
  values: readonly Value[],
  parameters: Parameters,
) => readonly BoundStatement<Row>[]

/**
 * A statement about a list of values, compiled once for each of a few lengths. `build` gets one placeholder per value,
 * for `in`. A shorter list repeats its last value, so a repeated value MUST NOT change the result. A long list is split
 * into parts; each MUST be correct by itself, as no order and no limit spans them.
 */
export function listStatement<Schema, Value, Parameters extends object, Row>(
  database: Pick<SqlDatabase<Schema>, 'statement'>,
  build: (queries: Kysely<Schema>, values: readonly Value[], parameters: Parameters) => Compilable<Row>,
): ListStatement<Value, Parameters, Row> {
  type Places = Readonly<Record<number, Value>> & Parameters
  const compile = (size: number): Statement<Places, Row> =>
    database.statement<Places, Row>((queries, parameters) =>
      build(
        queries,
        Array.from({ length: size }, (_, index) => parameters[index] as Value),
        parameters,
      ),
    )
  // The others are compiled when they are needed. A statement that does not compile already fails with the first.
  const compiled = new Map<number, Statement<Places, Row>>([[SIZES[0], compile(SIZES[0])]])

  function bind(part: readonly Value[], parameters: Parameters): BoundStatement<Row> {
    const size = SIZES.find((one) => one >= part.length) ?? LARGEST
    const statement = compiled.get(size) ?? compile(size)
    compiled.set(size, statement)
    const filled = Array.from({ length: size }, (_, index) => part[Math.min(index, part.length - 1)]!)
    return statement({ ...parameters, ...filled })
  }

  return (values, parameters) => {
    const parts: BoundStatement<Row>[] = []
    for (let from = 0; from < values.length; from += LARGEST) {
      parts.push(bind(values.slice(from, from + LARGEST), parameters))
    }
    return parts
  }
}

export async function readParts<Schema, Row>(
  database: SqlDatabase<Schema>,
  parts: readonly BoundStatement<Row>[],
): Promise<readonly Row[]> {
  const rows: (readonly Row[])[] = []
  for (const part of parts) rows.push(await database.read(part))
  return rows.length === 1 ? rows[0]! : rows.flat()
}

/** The rows of all parts, in a transaction. */
export function* allParts<Row>(parts: readonly BoundStatement<Row>[]): Work<readonly Row[]> {
  const rows: Row[] = []
  for (const part of parts) for (const row of yield* all(part)) rows.push(row)
  return rows
}

/** Runs all parts of a statement that returns no rows. Returns how many rows they changed. */
export function* runParts(parts: readonly BoundStatement[]): Work<number> {
  let changes = 0
  for (const part of parts) changes += yield* run(part)
  return changes
}
