import type { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { OperatorError } from '../../lib/operator-error.ts'
import { raw } from '../sql/kit/raw-statement.ts'
import { all, first, run, type BoundStatement, type SqlDatabase, type Work } from '../sql/kit/sql-database.ts'
import { CONTROL_TABLES, type ControlTable } from './control-tables.ts'

/** The SQLite files of a stopped service. */
export type ControlFiles = Readonly<Record<ControlTable['file'], DatabaseSync>>

type AnyTables = Record<string, Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

/** PostgreSQL takes at most 65,535 parameters. */
const MOST_PARAMETERS = 30_000
/** A prime: sums of remainders stay far from the largest number of both databases. */
const MODULUS = 1_000_003

/**
 * Copies all tables in one transaction, compares each, and sets the states: nothing of it is there before everything
 * is. Calls `onRows` with the rows of all tables so far. Throws OperatorError when the target has data, or a sum
 * differs.
 */
export async function moveControl(
  files: ControlFiles,
  database: SqlDatabase<unknown>,
  onRows: (rows: number, table: string) => void,
): Promise<number> {
  const tables = database.withTables<AnyTables>()
  return tables.write(function* (): Work<number> {
    yield* refuseOtherData(tables)
    let rows = 0
    for (const table of CONTROL_TABLES) {
      for (const count of yield* copyTable(files[table.file], tables, table)) rows += count
      onRows(rows, table.name)
    }
    yield* setStates(files, tables)
    return rows
  })
}

/** Throws OperatorError when the database has been used by a service. */
export function* refuseOtherData(tables: SqlDatabase<AnyTables>): Work<void> {
  const state = yield* first(statement<{ version: number }>(tables, sql`SELECT version FROM journal_state`))
  const project = yield* first(statement(tables, sql`SELECT 1 FROM projects LIMIT 1`))
  if (state?.version !== 0 || project !== undefined)
    throw new OperatorError('The database in PostgreSQL holds other data. Name an empty one with SPOOR_POSTGRES_URL.')
}

function* copyTable(
  file: DatabaseSync,
  tables: SqlDatabase<AnyTables>,
  { name, numbered }: ControlTable,
): Work<readonly number[]> {
  const columns = columnsOf(file, name)
  const chunkRows = Math.floor(MOST_PARAMETERS / columns.length)
  const counts: number[] = []
  let chunk: Row[] = []
  for (const row of file.prepare(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}`).iterate()) {
    chunk.push(row)
    if (chunk.length < chunkRows) continue
    counts.push(yield* run(insertion(tables, name, chunk)))
    chunk = []
  }
  if (chunk.length > 0) counts.push(yield* run(insertion(tables, name, chunk)))
  if (numbered !== undefined) {
    const sequence = sql`pg_get_serial_sequence(${name}, ${numbered})`
    const next = sql`(SELECT coalesce(max(${sql.ref(numbered)}), 0) + 1 FROM ${sql.table(name)})`
    yield* all(statement(tables, sql`SELECT setval(${sequence}, ${next}, false)`))
  }
  yield* compare(file, tables, { name, columns })
  return counts
}

/** Values of columns that PostgreSQL numbers by itself are kept. */
function insertion(tables: SqlDatabase<AnyTables>, table: string, rows: readonly Row[]): BoundStatement {
  const columns = Object.keys(rows[0] ?? {})
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
  return statement(
    tables,
    sql`INSERT INTO ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      OVERRIDING SYSTEM VALUE VALUES ${sql.join(values)}`,
  )
}

/** Counts rows, sums numbers and the lengths of everything else, on both sides. */
function* compare(
  file: DatabaseSync,
  tables: SqlDatabase<AnyTables>,
  { name, columns }: { readonly name: string; readonly columns: readonly string[] },
): Work<void> {
  const types = new Map(
    (yield* all(
      statement<{ column_name: string; data_type: string }>(
        tables,
        sql`SELECT column_name::text, data_type::text FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = ${name}`,
      ),
    )).map(({ column_name, data_type }) => [column_name, data_type]),
  )
  const sums = columns.flatMap((column) => {
    const type = types.get(column)
    if (type === 'bigint') return [`coalesce(sum(${quoted(column)} % ${MODULUS}), 0) AS ${quoted(column)}`]
    return type === 'bytea' ? [`coalesce(sum(length(${quoted(column)})), 0) AS ${quoted(column)}`] : []
  })
  const select = `SELECT ${['count(*) AS "rows"', ...sums].join(', ')} FROM ${quoted(name)}`
  const here = file.prepare(select).get() as Row
  const there = (yield* first(statement<Row>(tables, sql.raw(select)))) as Row
  for (const [column, value] of Object.entries(here)) {
    if (value !== there[column])
      throw new OperatorError(
        `The table ${name} was not copied whole: the sum of ${column} is ${String(value)} here and ${String(there[column])} in PostgreSQL.`,
      )
  }
}

/** The log and the deliveries continue from their positions. */
function* setStates(files: ControlFiles, tables: SqlDatabase<AnyTables>): Work<void> {
  const journal = files['control.db'].prepare('SELECT * FROM journal_state').get() as Row
  const { version, last_trace_id, head_position, pruned_through, id_lead_ms } = journal
  yield* run(
    tables.bound((queries) =>
      queries.updateTable('journal_state').set({ version, last_trace_id, head_position, pruned_through, id_lead_ms }),
    ),
  )
  // All rows are in ClickHouse already: the log has no payload for them.
  yield* run(
    tables.bound((queries) =>
      queries
        .updateTable('settling')
        .set({ settled_through: version, wanted_through: version, pruned_through: version }),
    ),
  )
  const deliveries = files['deliveries.db'].prepare('SELECT * FROM delivery_state').get() as Row
  const { position, place_lead, last_place } = deliveries
  yield* run(tables.bound((queries) => queries.updateTable('delivery_state').set({ position, place_lead, last_place })))
}

function columnsOf(file: DatabaseSync, table: string): readonly string[] {
  return file
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))
}

function quoted(name: string): string {
  return `"${name}"`
}

function statement<Result>(
  tables: SqlDatabase<AnyTables>,
  text: ReturnType<typeof sql<Result>>,
): BoundStatement<Result> {
  return tables.bound((queries: Kysely<AnyTables>) => raw(queries, text))
}
