import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'
import type { PooledTransactions } from './pooled-transactions.ts'
import type { StatementResult } from './sql-database.ts'
import { isReadOnly, toDomainError, UnknownOutcomeError } from './postgresql-error.ts'

/** A connection while a transaction has it. Converts errors of the driver by `toDomainError`. */
export class PostgresqlConnection {
  readonly #client: PoolClient
  /** Null if the connection keeps its session. */
  readonly #pooled: PooledTransactions | null
  /** False when it must not be used again: it was lost, takes no writes, or an answer is still under way. */
  #isUsable = true

  private constructor(client: PoolClient, pooled: PooledTransactions | null) {
    this.#client = client
    this.#pooled = pooled
  }

  static async from(pool: Pool, pooled: PooledTransactions | null): Promise<PostgresqlConnection> {
    try {
      return new PostgresqlConnection(await pool.connect(), pooled)
    } catch (error) {
      throw toDomainError(error)
    }
  }

  async begin(isolation: string): Promise<void> {
    const text = `BEGIN ISOLATION LEVEL ${isolation}`
    await this.#attempt<unknown>(this.#pooled?.begin(this.#client, isolation) ?? this.#client.query(text))
  }

  async send(query: QueryConfig<unknown[]>): Promise<StatementResult> {
    return toResult(await this.#attempt(this.#client.query(query)))
  }

  /** Commits a transaction durably. Rejects with UnknownOutcomeError if the answer was lost. */
  async commit(): Promise<void> {
    await this.#attemptLast<unknown>(this.#pooled?.commit(this.#client) ?? this.#client.query('COMMIT'))
  }

  /** Runs one statement that is its transaction. Rejects as `commit` does. */
  async writeAlone(query: QueryConfig<unknown[]>): Promise<StatementResult> {
    return toResult(await this.#attemptLast(this.#pooled?.alone(this.#client, query) ?? this.#client.query(query)))
  }

  async #attempt<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      this.#isUsable &&= isRefusal(error) && !isReadOnly(error)
      throw toDomainError(error)
    }
  }

  async #attemptLast<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      this.#isUsable = isRefusal(error) && !isReadOnly(error)
      throw isRefusal(error) || isUnsent(error) ? toDomainError(error) : new UnknownOutcomeError(error)
    }
  }

  /** Never rejects: a connection that cannot roll back is closed, which rolls back. */
  async rollBack(): Promise<void> {
    if (!this.#isUsable) return
    await this.#client.query('ROLLBACK').catch(() => (this.#isUsable = false))
  }

  release(): void {
    this.#client.release(!this.#isUsable)
  }
}

/** Whether the server refused the statement and waits for the next one. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR'
}

/** Whether PgBouncer had no connection for the statement in its time. */
function isUnsent(error: unknown): boolean {
  return error instanceof DatabaseError && error.message === 'query_wait_timeout'
}

function toResult({ rows, rowCount }: QueryResult): StatementResult {
  return { rows, changes: rowCount ?? 0 }
}
