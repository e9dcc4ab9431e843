import { CLUSTER_SCHEMA } from '../sql/clusters/cluster-tables.ts'
import { DELIVERY_SCHEMA } from '../sql/deliveries/delivery-tables.ts'
import { CONTROL_SCHEMA } from '../sql/schema/schemas.ts'

/** A table of a data directory whose rows are copied to the table of the same name. */
export interface ControlTable {
  readonly file: 'control.db' | 'clusters.db' | 'deliveries.db'
  readonly name: string
  /** The column that PostgreSQL numbers by itself. */
  readonly numbered: string | undefined
}

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

/** In an order in which each row finds what it refers to. */
export const CONTROL_TABLES: readonly ControlTable[] = [
  ...tablesIn('control.db', CONTROL_SCHEMA),
  ...tablesIn('clusters.db', CLUSTER_SCHEMA),
  ...tablesIn('deliveries.db', DELIVERY_SCHEMA),
]

function tablesIn(file: ControlTable['file'], schema: string): readonly ControlTable[] {
  const tables = schema.matchAll(/CREATE TABLE (?<name>\w+) \((?:\s*--.*)*\s*(?:(?<numbered>\w+) NUMBERED)?/g)
  return [...tables]
    .map(({ groups }) => ({ file, name: groups?.['name'] ?? '', numbered: groups?.['numbered'] }))
    .filter(({ name }) => !LEFT_BEHIND.has(name))
}
