/**
 * The engine under the telemetry tables: a few verbs that an embedded chDB and a ClickHouse server can both serve, so
 * that the store is written once. All rejections are the engine's own errors.
 */
export interface TelemetryEngine {
  /**
   * Rows as arrays of column values, 64-bit integers as numbers. For answers that fit in memory: the caller bounds
   * them.
   *
   * It runs for the requester of its async context (lib/work/requester.ts). Adapters MUST hand it to a ReadQueue, so
   * that projects take turns; and once the requester's signal aborts, MUST NOT begin with it, end it if it runs, and
   * reject with the signal's reason. Rejects with DomainError `too_many_reads` when too many reads of the project wait.
   */
  select(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Statements without an answer. */
  command(sql: string): Promise<void>
  /**
   * Inserts JSONEachRow bytes as one part for each partition they touch, all of it or nothing within a partition. MUST
   * be fsynced and readable when it resolves. Inserts into different tables may run at the same time.
   */
  insert(table: string, rows: Buffer): Promise<void>
  /** Resolves when nothing runs any more. */
  close(): Promise<void>
}
