/** A session of the engine for work on damaged parts: it waits for no reader, and has no limit on time. */
export interface SalvageSession {
  /** As TelemetryEngine's, and rejects with the engine's own errors. */
  select(sql: string): Promise<readonly (readonly unknown[])[]>
  command(sql: string): Promise<void>
  /** Runs `work` while no other session reads or writes: those that do are waited for, and others wait for it. */
  alone<T>(work: () => Promise<T>): Promise<T>
}
