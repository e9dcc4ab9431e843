/** Rows in the engine's format (JSONEachRow). Each may be empty. */
export interface RowBytes {
  readonly traces: Buffer
  readonly steps: Buffer
  /** For both tables of metric events: each reads the columns that it has. */
  readonly metricEvents: Buffer
}
