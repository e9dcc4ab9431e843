import type { TablePart } from './table-part.ts'

/** A session of the engine for work on damaged parts: outside the read queue and without a time limit. */
export interface SalvageSession {
  /** As TelemetryEngine's, but rejects with the engine's own errors. */
  select(sql: string): Promise<readonly (readonly unknown[])[]>
  command(sql: string): Promise<void>
  /** Runs `work` exclusively: waits for running reads and writes of other sessions, and blocks new ones. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** These parts have rows that nobody inserts again: they are never taken for a torn insert. */
  keep(parts: readonly Pick<TablePart, 'table' | 'name'>[]): void
  /**
   * Drops parts that were not written whole, and those that an earlier call could not drop. Rejects on a full disk;
   * then the rows of their table MUST NOT be used until a later call resolves.
   */
  drop(parts: readonly Pick<TablePart, 'table' | 'name'>[]): Promise<void>
}
