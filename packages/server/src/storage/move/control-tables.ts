/** Where the rows of a table of a data directory go. */
export interface ControlTable {
  readonly file: 'control.db' | 'clusters.db' | 'deliveries.db'
  readonly name: string
  /** Its name in PostgreSQL. */
  readonly target: string
  /** Columns that PostgreSQL does not have. */
  readonly without?: readonly string[]
  /** Columns that SQLite does not have, as expressions on its row. */
  readonly added?: Readonly<Record<string, string>>
  /** The column that PostgreSQL numbers by itself. */
  readonly numbered?: string
}

const table = (file: ControlTable['file'], name: string, more: Partial<ControlTable> = {}): ControlTable => ({
  file,
  name,
  target: name,
  ...more,
})

/** In an order in which each row finds what it refers to. */
export const CONTROL_TABLES: readonly ControlTable[] = [
  table('control.db', 'projects'),
  table('control.db', 'keys'),
  table('control.db', 'sessions', { numbered: 'number' }),
  table('control.db', 'journal'),
  table('control.db', 'trace_keys'),
  table('control.db', 'step_keys'),
  table('control.db', 'superseded_keys'),
  table('control.db', 'deleted_traces'),
  table('control.db', 'flag_reasons'),
  table('control.db', 'told_cluster_runs'),
  table('control.db', 'quiet_waits'),
  table('control.db', 'media'),
  table('control.db', 'attachments'),
  table('control.db', 'direct_uploads'),
  table('control.db', 'metrics'),
  table('control.db', 'prices'),
  table('control.db', 'monitors'),
  table('control.db', 'monitor_history'),
  table('control.db', 'views'),
  table('control.db', 'webhooks'),
  table('control.db', 'delivery_store'),
  table('clusters.db', 'jobs'),
  table('clusters.db', 'schedules'),
  table('clusters.db', 'features'),
  table('clusters.db', 'vectors'),
  table('clusters.db', 'bases'),
  table('clusters.db', 'runs', { numbered: 'run' }),
  table('clusters.db', 'clusters'),
  table('clusters.db', 'members'),
  table('clusters.db', 'cluster_labels'),
  table('deliveries.db', 'lanes', { target: 'delivery_lanes', numbered: 'lane' }),
  // PostgreSQL counts the deliveries of an event when it needs the number.
  table('deliveries.db', 'events', { target: 'delivery_events', numbered: 'event', without: ['deliveries'] }),
  table('deliveries.db', 'deliveries'),
  // Numbers of leases are positive: these are free.
  table('deliveries.db', 'attempts', { target: 'delivery_attempts', added: { lease: '-number' } }),
]

/**
 * Tables whose rows are not copied: one row of state, which is set; leases of a process that has stopped; bytes that it
 * was writing or was to remove, which are not copied either; the identity of the other store; schema versions.
 */
export const LEFT_BEHIND: ReadonlySet<string> = new Set([
  'journal_state',
  'state',
  'leases',
  'pending_blobs',
  'store_identity',
  'schema_versions',
])
