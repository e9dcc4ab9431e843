/** A session of the engine for work on damaged parts: outside the read queue and without a time limit. */
export interface ExclusiveSession {
  /** As TelemetryEngine's, but rejects with the engine's own errors. */
  select(sql: string): Promise<readonly (readonly unknown[])[]>
  command(sql: string): Promise<void>
  /** Runs `work` exclusively: waits for running reads and writes of other sessions, and blocks new ones. */
  alone<T>(work: () => Promise<T>): Promise<T>
}
