/** A table of the engine, and how it is read in ranges. */
export interface MovedTable {
  readonly name: string
  /** Columns that identify a row, in the order of the table's primary key, so that a range is read without the rest. */
  readonly key: readonly string[]
  /** An expression: about how many bytes the row has. */
  readonly bytes: string
}

/** All tables with rows. Traces come last: nothing is listed before its steps and events are there. */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: 'steps', key: ['project_id', 'trace_id', 'position'], bytes: '500 + 2 * body_bytes' },
  {
    name: 'metric_events',
    key: ['project_id', 'trace_id', 'id'],
    bytes: '300 + length(record) + length(metadata)',
  },
  { name: 'metric_points', key: ['project_id', 'metric_id', 'minute', 'id'], bytes: '600' },
  { name: 'traces', key: ['project_id', 'id'], bytes: '800 + length(record) + length(metadata)' },
]
