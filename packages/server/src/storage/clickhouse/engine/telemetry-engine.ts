/**
 * The engine under the telemetry tables: a few operations that embedded chDB and a ClickHouse server can both provide,
 * so that the store is written once. All rejections are the engine's own errors.
 */
export interface TelemetryEngine {
  /**
   * Returns rows as arrays of column values, 64-bit integers as numbers. The result must fit in memory: the caller
   * limits it.
   *
   * It runs for the requester of its async context (lib/flow/requester.ts). Adapters MUST pass it to a ReadQueue, so
   * that projects take turns. Once the requester's signal aborts, they MUST NOT start it, MUST end it if it runs, and
   * MUST reject with the signal's reason. Rejects with DomainError `too_many_reads` when too many reads of the project
   * wait.
   */
  select(sql: string): Promise<readonly (readonly unknown[])[]>
  /** The same rows as a file of Apache Parquet. The statement names no format. */
  selectParquet(sql: string): Promise<Buffer>
  /** Statements without a result. */
  command(sql: string): Promise<void>
  /**
   * Inserts JSONEachRow bytes as one part for each partition, atomically within a partition. MUST be fsynced and
   * readable when it resolves. Inserts into different tables may run concurrently.
   *
   * `batch` names the rows, so that a server stores them once, however often they are inserted under this name. Its
   * tables remember the latest 10,000 names. The embedded engine ignores it: there, the caller looks for missing rows.
   */
  insert(table: string, rows: Buffer, batch?: string): Promise<void>
  /** Resolves when nothing is running any more. */
  close(): Promise<void>
}
