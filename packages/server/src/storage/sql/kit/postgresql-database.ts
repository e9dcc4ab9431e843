import { hash } from 'node:crypto'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { Pool, QueryConfig } from 'pg'
import { SharedCalls } from '../../../lib/flow/shared-calls.ts'
import { backoffDelayMs } from '../../../lib/time/backoff.ts'
import { compileOnce } from './compile-once.ts'
import type { PooledTransactions } from './pooled-transactions.ts'
import { PostgresqlConnection } from './postgresql-connection.ts'
import { isConflict, isStalePlan, toDomainError } from './postgresql-error.ts'
import { toPostgresql } from './postgresql-values.ts'
import {
  run,
  type BoundStatement,
  type SqlDatabase,
  type Statement,
  type StatementResult,
  type Work,
} from './sql-database.ts'

/**
 * A transaction that conflicts with others is repeated. Writers of `control_version` conflict whenever they overlap,
 * and each round lets one of them through.
 */
const MOST_TRIES = 30
const BACKOFF = { firstMs: 2, maxMs: 50 }
const LISTEN_AGAIN_MS = 1000

export interface PostgresqlDatabaseOptions {
  readonly pool: Pool
  /** Of connections to a pooler that keep no session: no statement is prepared, and nothing listens. */
  readonly pooled?: PooledTransactions | null
  /** In [0, 1): for pauses between tries. */
  readonly random: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Called with the cause of each read that failed because of the server; its caller gets a DomainError. */
  readonly onReadError?: (error: unknown) => void
  /** Runs each read, to measure it. */
  readonly around?: (<T>(read: () => Promise<T>) => Promise<T>) | undefined
}

/**
 * Stores on a pool of connections, which the caller owns and ends.
 *
 * `version()` is a row that each transaction increments with its last statement, so that the lock on the row is held
 * only through the commit. Leases and other tables that nobody caches are written through `uncounted()`.
 */
export class PostgresqlDatabase<Schema> implements SqlDatabase<Schema> {
  readonly dialect = 'postgresql'
  readonly #options: PostgresqlDatabaseOptions
  readonly #kind: Kind
  readonly #queries = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      // Kysely only builds and compiles here.
      createDriver: () => new DummyDriver(),
      createIntrospector: (queries) => new PostgresIntrospector(queries),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  /** Names of prepared statements by their text. A name is the same in all databases of a pool. */
  readonly #names = new Map<string, string>()
  /** Part of the names: it grows when the prepared statements have to be prepared again. */
  #generation = 0
  readonly #readVersion: Statement<object, { version: number }>
  readonly #incrementVersion: Statement<object, unknown>
  #versions: Pick<SharedCalls<unknown>, 'next'> = new SharedCalls(
    async () => (await this.read(this.#readVersion({})))[0]?.version,
  )

  constructor(options: PostgresqlDatabaseOptions, kind: Kind = { isCounted: true, isolation: 'SERIALIZABLE' }) {
    this.#options = options
    this.#kind = kind
    const tables = this.withTables<VersionTables>()
    this.#readVersion = tables.statement((queries) => queries.selectFrom('control_version').select('version'))
    this.#incrementVersion = tables.statement((queries) =>
      queries.updateTable('control_version').set({ version: sql`version + 1` }),
    )
  }

  withTables<Tables>(): PostgresqlDatabase<Tables> {
    return this as unknown as PostgresqlDatabase<Tables>
  }

  /** The same database without `version`: its writes are not counted. */
  uncounted(): PostgresqlDatabase<Schema> {
    return new PostgresqlDatabase(this.#options, { ...this.#kind, isCounted: false })
  }

  /**
   * The same database with transactions whose statements each see what was committed before them, for stores that lock
   * the rows that they read. `uncounted` too.
   */
  readCommitted(): PostgresqlDatabase<Schema> {
    return new PostgresqlDatabase(this.#options, { isCounted: false, isolation: 'READ COMMITTED' })
  }

  statement<Parameters extends object, Row>(
    build: (queries: Kysely<Schema>, parameters: Parameters) => Compilable<Row>,
  ): Statement<Parameters, Row> {
    const bind = compileOnce(this.#queries, build)
    return (values) => {
      const bound = bind(values)
      if (!this.#names.has(bound.sql))
        this.#names.set(bound.sql, `${hash('sha256', bound.sql).slice(0, 32)}-${this.#generation}`)
      return bound
    }
  }

  bound<Row>(build: (queries: Kysely<Schema>) => Compilable<Row>): BoundStatement<Row> {
    const { sql: text, parameters } = build(this.#queries).compile()
    return { sql: text, parameters }
  }

  /** One query at a time. Callers share the next, never one that has begun: it may miss a commit before their call. */
  version(): Promise<unknown> {
    if (!this.#kind.isCounted) throw new Error('the writes of this database are not counted')
    return this.#versions.next()
  }

  /** From now on, `version` takes it from another part that reads `control_version` with what it needs itself. */
  readVersionsWith(versions: Pick<SharedCalls<unknown>, 'next'>): void {
    this.#versions = versions
  }

  async read<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]> {
    const { pool, pooled, around = (read) => read() } = this.#options
    try {
      const query = this.#toQuery(statement)
      return (await around(() => pooled?.read(pool, query) ?? pool.query(query))).rows as Row[]
    } catch (error) {
      if (isStalePlan(error) && this.#names.has(statement.sql)) {
        this.#prepareAgain()
        return this.read(statement)
      }
      const failure = toDomainError(error)
      if (failure !== error) this.#options.onReadError?.(error)
      throw failure
    }
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.#repeat(() => this.#transact(work))
  }

  /**
   * Runs one statement as a transaction of its own, with the one round trip that it needs. It sees what is committed
   * when it locks a row, unless the role has another isolation than READ COMMITTED by default.
   */
  async writeAtOnce<Row>(statement: BoundStatement<Row>): Promise<readonly Row[]> {
    if (this.#kind.isCounted) throw new Error('the writes of this database are counted')
    return this.#repeat(async () => {
      const connection = await this.#connect()
      try {
        return (await connection.writeAlone(this.#toQuery(statement))).rows as readonly Row[]
      } finally {
        connection.release()
      }
    })
  }

  /** Until the transaction meets no conflict. */
  async #repeat<T>(transaction: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transaction()
      } catch (error) {
        if (isStalePlan(error)) this.#prepareAgain()
        else if (!isConflict(error)) throw error
        if (attempt === MOST_TRIES) throw error
      }
      await this.#options.pause(backoffDelayMs(BACKOFF, attempt, this.#options.random()))
    }
  }

  /**
   * Calls `onNotice` for each `pg_notify` of the channel, and whenever one may have been missed: with each new
   * connection. Resolves after the signal; through a pooler of transactions at once, because no notice comes.
   */
  async listen(channel: string, onNotice: () => void, signal: AbortSignal): Promise<void> {
    if ((this.#options.pooled ?? null) !== null) return
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted) {
      // One that cannot be opened or is lost is replaced: callers also look by themselves, and report what fails then.
      await this.#listenOnce(channel, onNotice, aborted).catch(() => undefined)
      await Promise.race([this.#options.pause(LISTEN_AGAIN_MS), aborted])
    }
  }

  async #listenOnce(channel: string, onNotice: () => void, aborted: Promise<void>): Promise<void> {
    const client = await this.#options.pool.connect()
    // Both may come again while the connection is destroyed.
    const lost = new Promise<void>((resolve) => client.on('error', () => resolve()).on('end', () => resolve()))
    client.on('notification', onNotice)
    try {
      await client.query(`LISTEN ${channel}`)
      onNotice()
      await Promise.race([lost, aborted])
    } finally {
      client.release(true)
    }
  }

  #connect(): Promise<PostgresqlConnection> {
    return PostgresqlConnection.from(this.#options.pool, this.#options.pooled ?? null)
  }

  async #transact<T>(work: () => Work<T>): Promise<T> {
    const connection = await this.#connect()
    try {
      await connection.begin(this.#kind.isolation)
      const value = await this.#drive(connection, work())
      if (this.#kind.isCounted) await this.#drive(connection, run(this.#incrementVersion({})))
      await connection.commit()
      return value
    } catch (error) {
      await connection.rollBack()
      throw error
    } finally {
      connection.release()
    }
  }

  async #drive<T>(connection: PostgresqlConnection, work: Work<T>): Promise<T> {
    let step = work.next()
    while (step.done !== true) {
      let result: StatementResult
      try {
        result = await connection.send(this.#toQuery(step.value))
      } catch (error) {
        // So that `work` may clean up. It cannot continue: PostgreSQL has aborted the transaction.
        work.throw(error)
        throw error
      }
      step = work.next(result)
    }
    return step.value
  }

  #toQuery({ sql: text, parameters }: BoundStatement): QueryConfig<unknown[]> {
    const name = (this.#options.pooled ?? null) === null ? this.#names.get(text) : undefined
    const values = parameters.map(toPostgresql)
    return name === undefined ? { text, values } : { name, text, values }
  }

  #prepareAgain(): void {
    this.#generation++
    this.#names.clear()
  }
}

interface Kind {
  /** Whether transactions move `version`. */
  readonly isCounted: boolean
  readonly isolation: 'SERIALIZABLE' | 'READ COMMITTED'
}

interface VersionTables {
  control_version: { version: number }
}
