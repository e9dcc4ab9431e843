import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Compilable } from 'kysely'
import { SharedWrites } from '../shared-writes.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { compileOnce } from './compile-once.ts'
import type { BoundStatement, SqlDatabase, Statement, StatementResult, Work } from './sql-database.ts'

/** Runs transactions on the connection, as `SqlDatabase.write` has it. */
export type SqliteWrites = Pick<SharedWrites, 'run'>

/**
 * Stores on a node:sqlite connection, which the caller owns and closes. A transaction runs in one go, so whoever else
 * uses the connection synchronously never sees half of one. Writes that come in the same turn of the event loop share a
 * flush.
 */
export class SqliteDatabase<Schema> implements SqlDatabase<Schema> {
  readonly dialect = 'sqlite'
  readonly #database: DatabaseSync
  readonly #queries: Kysely<Schema>
  readonly #writes: SqliteWrites
  readonly #prepared = new Map<string, StatementSync>()
  readonly #onReadError: OnReadError

  /** `writes` runs the transactions; by default those of one turn share a flush. */
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

  withTables<Tables>(): SqlDatabase<Tables> {
    return this as unknown as SqlDatabase<Tables>
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

  /** Moves when another connection commits. Read from shared memory, in about a microsecond. */
  async version(): Promise<unknown> {
    return readOrRefuse(() => this.#prepare('PRAGMA data_version').get()?.['data_version'], this.#onReadError)
  }

  async read<Row>({ sql, parameters }: BoundStatement<Row>): Promise<readonly Row[]> {
    return readOrRefuse(() => this.#prepare(sql).all(...toValues(parameters)), this.#onReadError) as Row[]
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.#writes.run(() => this.#drive(work()))
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
    const statement = this.#prepare(sql)
    const values = toValues(parameters)
    if (statement.columns().length > 0) return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }

  /** Statements are few: their values are bound. Those built by `bound` are as many as there are shapes. */
  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear()
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}

/** More are prepared anew: a bound on what statements with lists in them may hold. */
const MOST_PREPARED = 500

function toValues(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || value instanceof Uint8Array) return value
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value
    throw new TypeError(`SQLite has no value for a parameter of type ${typeof value}`)
  })
}
