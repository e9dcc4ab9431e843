import type { Compilable, Kysely } from 'kysely'

/** A statement with its parameters. `Row` is what it returns; statements that return none have `never`. */
export interface BoundStatement<Row = unknown> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Never set: carries the type of the rows. */
  readonly row?: Row
}

/** The rows of a statement, or how many rows it changed. */
export interface StatementResult {
  readonly rows: readonly unknown[]
  readonly changes: number
}

/**
 * The statements of one transaction, in order. It is a generator, not an async function: SQLite runs it without
 * yielding to the event loop, so no other code of this process runs between two statements; PostgreSQL awaits each
 * statement, and one that fails ends the transaction there. Yield through `all`, `first` and `run`.
 */
export type Work<T> = Generator<BoundStatement, T, StatementResult>

/** Compiled once, bound for each use. */
export type Statement<Parameters, Row> = (parameters: Parameters) => BoundStatement<Row>

/** A database of either dialect with the tables of `Schema`. Control stores are written for it. */
export interface SqlDatabase<Schema> {
  readonly dialect: 'sqlite' | 'postgresql'
  /** The same database with the types of other tables; each store declares its own. */
  withTables<Tables>(): SqlDatabase<Tables>
  /**
   * Builds a statement with Kysely and compiles it once. `build` is called at the first use; each member of
   * `parameters` stands for a value that is bound later, so `build` MUST NOT read it. `parameters` as a whole is a row
   * of all columns that the first values have. For a list of unknown length, use `listStatement` or build the
   * statement at each use with `bound`.
   */
  statement<Parameters extends object, Row>(
    build: (queries: Kysely<Schema>, parameters: Parameters) => Compilable<Row>,
  ): Statement<Parameters, Row>
  /** A statement whose shape depends on its values, compiled at each call. */
  bound<Row>(build: (queries: Kysely<Schema>) => Compilable<Row>): BoundStatement<Row>
  /**
   * A value that differs (by `===`) from an earlier one if another process has written since. While it stays the same,
   * earlier reads are still current, apart from writes of this process, which need not change it. Cheap enough to be
   * checked for every request. Rejects as `read` does.
   */
  version(): Promise<unknown>
  /**
   * Rows of one statement, as of the last committed write of this process or a later state. Rejects with DomainError
   * `storage_unavailable` if the database cannot be read.
   */
  read<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]>
  /**
   * Runs `work` in one transaction: all of it is durable when this resolves with the result of `work`, none of it when
   * this rejects. Transactions are serializable. `work` may run twice and MUST have no effect but its statements.
   * Rejects with what `work` throws, and with DomainError `disk_full` or `storage_unavailable`.
   */
  write<T>(work: () => Work<T>): Promise<T>
  /**
   * The rows of one statement that is a transaction of its own, which needs one round trip. PostgreSQL decides again on
   * each row whose lock it waited for, or the statement is repeated. Rejects as `write` does. Not for a database whose
   * writes are counted.
   */
  writeAtOnce<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]>
}

export function* all<Row>(statement: BoundStatement<Row>): Work<readonly Row[]> {
  return (yield statement).rows as readonly Row[]
}

/** The first row; undefined if there is none. */
export function* first<Row>(statement: BoundStatement<Row>): Work<Row | undefined> {
  return (yield statement).rows[0] as Row | undefined
}

/** Runs a statement that returns no rows. Returns how many it changed. */
export function* run(statement: BoundStatement): Work<number> {
  return (yield statement).changes
}
