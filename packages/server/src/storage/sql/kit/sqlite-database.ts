import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Compilable } from 'kysely'
import { runAtomically } from '../run-atomically.ts'
import { SharedWrites } from '../shared-writes.ts'
import { type OnReadError, readFailure, readOrRefuse } from '../sqlite-error.ts'
import { compileOnce } from './compile-once.ts'
import {
  all,
  type BoundStatement,
  type SqlDatabase,
  type Statement,
  type StatementResult,
  type Work,
} from './sql-database.ts'

/** Runs transactions on the connection, as `SqlDatabase.write` requires. */
export type SqliteWrites = Pick<SharedWrites, 'run'>

interface Prepared {
  /** Returns rows as arrays: node:sqlite takes twice as long for objects. */
  readonly statement: StatementSync
  /** Empty for a statement that returns no rows. */
  readonly columns: readonly string[]
}

const NO_ROWS: readonly unknown[] = []

/**
 * Stores on a node:sqlite connection, which the caller owns and closes. A transaction runs without yielding, so other
 * synchronous users of the connection never see a part of one. Writes of the same turn of the event loop share a flush.
 *
 * The `…Now` methods are for stores of the embedded profile that keep state in memory beside their tables: between
 * their statements and the change of that state no other code runs.
 */
export class SqliteDatabase<Schema> implements SqlDatabase<Schema> {
  readonly dialect = 'sqlite'
  readonly #database: DatabaseSync
  readonly #queries: Kysely<Schema>
  readonly #writes: SqliteWrites
  readonly #prepared = new Map<string, Prepared>()
  readonly #onReadError: OnReadError

  /** `writes` runs the transactions; by default, transactions of one turn share a flush. */
  constructor(
    database: DatabaseSync,
    onReadError: OnReadError = () => undefined,
    writes: SqliteWrites = new SharedWrites(database),
  ) {
    this.#database = database
    this.#onReadError = onReadError
    this.#writes = writes
    this.#queries = new Kysely<Schema>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        // Kysely only builds and compiles here.
        createDriver: () => new DummyDriver(),
        createIntrospector: (queries) => new SqliteIntrospector(queries),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
  }

  withTables<Tables>(): SqliteDatabase<Tables> {
    return this as unknown as SqliteDatabase<Tables>
  }

  statement<Parameters extends object, Row>(
    build: (queries: Kysely<Schema>, parameters: Parameters) => Compilable<Row>,
  ): Statement<Parameters, Row> {
    return compileOnce(this.#queries, build)
  }

  bound<Row>(build: (queries: Kysely<Schema>) => Compilable<Row>): BoundStatement<Row> {
    const { sql, parameters } = build(this.#queries).compile()
    return { sql, parameters }
  }

  /** Changes when another connection commits. Read from shared memory, in about a microsecond. */
  async version(): Promise<unknown> {
    return readOrRefuse(() => firstOf(this.#prepare('PRAGMA data_version'), [])?.['data_version'], this.#onReadError)
  }

  async read<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]> {
    return this.readNow(statement)
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.#writes.run(() => this.#drive(work()))
  }

  writeAtOnce<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]> {
    return this.write(() => all(statement))
  }

  /** As `read`, but synchronous. */
  readNow<Row>({ sql, parameters }: BoundStatement<Row>): readonly Row[] {
    return readOrRefuse(() => allOf(this.#prepare(sql), parameters) as readonly Row[], this.#onReadError)
  }

  /** As `readNow`, but the first row only; undefined if there is none. */
  firstNow<Row>({ sql, parameters }: BoundStatement<Row>): Row | undefined {
    return readOrRefuse(() => firstOf(this.#prepare(sql), parameters) as Row | undefined, this.#onReadError)
  }

  /** As `readNow`, but rows are read while they are iterated. Stop iterating before the next statement that writes. */
  *iterateNow<Row>({ sql, parameters }: BoundStatement<Row>): Iterable<Row> {
    try {
      const { statement, columns } = this.#prepare(sql)
      for (const values of statement.iterate(...toValues(parameters))) yield toRow(columns, values as never) as Row
    } catch (error) {
      throw readFailure(error, this.#onReadError)
    }
  }

  /** As `readNow`, but each row is the array of its values in the order of the selection: for the hottest reads. */
  tuplesNow({ sql, parameters }: BoundStatement): readonly (readonly unknown[])[] {
    return readOrRefuse(() => tuplesOf(this.#prepare(sql), parameters), this.#onReadError)
  }

  /** Runs `work` in a transaction of its own, committed when this returns. Throws as `write` rejects. */
  writeNow<T>(work: () => Work<T>): T {
    return runAtomically(this.#database, () => this.#drive(work()))
  }

  #drive<T>(work: Work<T>): T {
    let step = work.next()
    while (step.done !== true) {
      let result: StatementResult
      try {
        result = this.#execute(step.value)
      } catch (error) {
        // So that `work` may clean up; it ends with the error unless it handles it.
        step = work.throw(error)
        continue
      }
      step = work.next(result)
    }
    return step.value
  }

  #execute({ sql, parameters }: BoundStatement): StatementResult {
    const prepared = this.#prepare(sql)
    if (prepared.columns.length > 0) return { rows: allOf(prepared, parameters), changes: 0 }
    return { rows: NO_ROWS, changes: Number(prepared.statement.run(...toValues(parameters)).changes) }
  }

  /** Statements are few: their values are bound. Those built by `bound` are as many as there are shapes. */
  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql)
    if (prepared === undefined) {
      const statement = this.#database.prepare(sql)
      statement.setReturnArrays(true)
      prepared = { statement, columns: statement.columns().map(({ name }) => name) }
      if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear()
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }
}

/** Beyond this number all are prepared again: it bounds the memory of statements whose shape depends on values. */
const MOST_PREPARED = 500

type RowObject = Readonly<Record<string, unknown>>

function allOf(prepared: Prepared, parameters: readonly unknown[]): RowObject[] {
  return tuplesOf(prepared, parameters).map((values) => toRow(prepared.columns, values))
}

function tuplesOf({ statement }: Prepared, parameters: readonly unknown[]): readonly (readonly unknown[])[] {
  return statement.all(...toValues(parameters)) as unknown as readonly (readonly unknown[])[]
}

function firstOf(prepared: Prepared, parameters: readonly unknown[]): RowObject | undefined {
  const values = prepared.statement.get(...toValues(parameters)) as unknown as readonly unknown[] | undefined
  return values === undefined ? undefined : toRow(prepared.columns, values)
}

function toRow(columns: readonly string[], values: readonly unknown[]): RowObject {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]
  return row
}

/** The same array. An index loop, because it runs for every statement. */
function toValues(parameters: readonly unknown[]): readonly SQLInputValue[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index]
    if (typeof value === 'number' || typeof value === 'string' || value === null) continue
    if (value instanceof Uint8Array || typeof value === 'bigint') continue
    throw new TypeError(`SQLite has no value for a parameter of type ${typeof value}`)
  }
  return parameters as readonly SQLInputValue[]
}
