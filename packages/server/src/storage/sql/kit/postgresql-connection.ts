import { DatabaseError, type Pool, type PoolClient, type QueryConfig } from 'pg'
import type { StatementResult } from './sql-database.ts'
import { isReadOnly, toDomainError, UnknownOutcomeError } from './postgresql-error.ts'

/** A connection while a transaction has it. Converts errors of the driver by `toDomainError`. */
export class PostgresqlConnection {
  readonly #client: PoolClient
  /** False when it must not be used again: it was lost, takes no writes, or an answer is still under way. */
  #isUsable = true

  private constructor(client: PoolClient) {
    this.#client = client
  }

  static async from(pool: Pool): Promise<PostgresqlConnection> {
    try {
      return new PostgresqlConnection(await pool.connect())
    } catch (error) {
      throw toDomainError(error)
    }
  }

  async send(query: QueryConfig<unknown[]>): Promise<StatementResult> {
    try {
      const { rows, rowCount } = await this.#client.query(query)
      return { rows, changes: rowCount ?? 0 }
    } catch (error) {
      this.#isUsable &&= isRefusal(error) && !isReadOnly(error)
      throw toDomainError(error)
    }
  }

  async commit(): Promise<void> {
    await this.sendLast({ text: 'COMMIT' })
  }

  /** Commits a transaction durably. Rejects with UnknownOutcomeError if the answer was lost. */
  async sendLast(query: QueryConfig<unknown[]>): Promise<StatementResult> {
    try {
      const { rows, rowCount } = await this.#client.query(query)
      return { rows, changes: rowCount ?? 0 }
    } catch (error) {
      this.#isUsable = isRefusal(error) && !isReadOnly(error)
      throw isRefusal(error) ? toDomainError(error) : new UnknownOutcomeError(error)
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
