/** A table of a data directory whose rows are copied to the table of the same name. */
export interface ControlTable {
  readonly file: 'control.db' | 'clusters.db' | 'deliveries.db'
  readonly name: string
  /** The column that PostgreSQL numbers by itself. */
  readonly numbered?: string
}

const table = (file: ControlTable['file'], name: string, more: Pick<ControlTable, 'numbered'> = {}): ControlTable => ({
  file,
  name,
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
  table('deliveries.db', 'delivery_lanes', { numbered: 'lane' }),
  table('deliveries.db', 'delivery_events', { numbered: 'event' }),
  table('deliveries.db', 'deliveries'),
  table('deliveries.db', 'delivery_attempts'),
]

/**
 * Tables whose rows are not copied: one row of state, which is set; leases of a process that has stopped; bytes that it
 * was writing or was to remove, which are not copied either; the identity of the other store; schema versions.
 */
export const LEFT_BEHIND: ReadonlySet<string> = new Set([
  'journal_state',
  'delivery_state',
  'delivery_nodes',
  'leases',
  'pending_blobs',
  'store_identity',
  'schema_versions',
])
