import { run, type BoundStatement, type SqlDatabase, type Work } from './sql-database.ts'

/** The class of stores with these statements, which are compiled once for each store. */
export function storeOn<Schema, Sql>(statementsOn: (database: SqlDatabase<Schema>) => Sql) {
  return class {
    protected readonly database: SqlDatabase<Schema>
    protected readonly sql: Sql

    constructor(database: SqlDatabase<Schema>) {
      this.database = database
      this.sql = statementsOn(database)
    }

    /** As `SqlDatabase.write`, with the statements. */
    protected transact<T>(work: (sql: Sql) => Work<T>): Promise<T> {
      return this.database.write(() => work(this.sql))
    }

    /** Runs a statement that returns no rows. Resolves with how many rows it changed. */
    protected run(statement: BoundStatement): Promise<number> {
      return this.database.write(() => run(statement))
    }
  }
}
