import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import type { PreparedServer } from '../../storage/clickhouse/server/prepare-server.ts'
import { ServerError } from '../../storage/clickhouse/server/server-connection.ts'

/**
 * ClickHouse for a node that may start before it answers. Until `open`, everything rejects with DomainError
 * `storage_unavailable`, as it does later whenever ClickHouse is away.
 */
export class LateServer {
  readonly engine: TelemetryEngine
  readonly shards: readonly TelemetryEngine[]
  #prepared: PreparedServer | null = null
  #isClosed = false

  constructor(shardCount: number) {
    this.engine = this.#later(({ engine }) => engine)
    const shard = (number: number) => this.#later(({ shards }) => shards[number] as TelemetryEngine)
    this.shards = Array.from({ length: shardCount }, (_, number) => shard(number))
  }

  get isOpen(): boolean {
    return this.#prepared !== null
  }

  readonly catchUp = (table: string): string | null => this.#need().dialect.catchUp(table)

  /** From now on the node uses it. Closes it at once if this is closed. */
  async open(prepared: PreparedServer): Promise<void> {
    if (this.#isClosed) await prepared.engine.close()
    else this.#prepared = prepared
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#prepared?.engine.close()
  }

  #need(): PreparedServer {
    if (this.#prepared !== null) return this.#prepared
    throw new DomainError('storage_unavailable', 'ClickHouse does not answer yet.', { retryAfterSeconds: 2 })
  }

  #later(of: (prepared: PreparedServer) => TelemetryEngine): TelemetryEngine {
    const engine = () => of(this.#need())
    return {
      select: async (sql) => engine().select(sql),
      selectParquet: async (sql) => engine().selectParquet(sql),
      command: async (sql) => engine().command(sql),
      insert: async (table, rows, batch) => engine().insert(table, rows, batch),
      close: () => this.close(),
    }
  }
}

/** Whether ClickHouse only did not answer, so that what failed may succeed later. */
export function isAway(error: unknown): boolean {
  if (error instanceof DomainError) return error.code === 'storage_unavailable'
  return error instanceof OperatorError && error.cause instanceof Error && !(error.cause instanceof ServerError)
}
