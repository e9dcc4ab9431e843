/** Rows as the engine takes them (JSONEachRow). Each may be empty. */
export interface RowBytes {
  readonly traces: Buffer
  readonly steps: Buffer
  /** For both tables of metric events: each takes the columns it has. */
  readonly metricEvents: Buffer
}
