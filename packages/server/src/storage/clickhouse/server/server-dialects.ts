import { EMBEDDED_DIALECT, FLUSHED, type TelemetryDialect } from '../engine/telemetry-dialect.ts'

/** Number of batches that a table remembers (TelemetryEngine.insert). Replicated tables have a setting of their own. */
const BATCHES = 'non_replicated_deduplication_window = 10000'
/** For a week: settling may have to wait for a server. The default is an hour. */
const REPLICATED_BATCHES = 'replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800'

/** One server whose database no other server has. */
export const SINGLE_SERVER: TelemetryDialect = { ...EMBEDDED_DIALECT, tableSettings: `${FLUSHED}, ${BATCHES}` }

/**
 * A Cloud service: its servers share the data in an object store. It makes `SharedMergeTree` of the names without a
 * prefix, and has nothing to flush.
 */
export const SHARED_STORAGE: TelemetryDialect = {
  ...SINGLE_SERVER,
  tableSettings: REPLICATED_BATCHES,
  catchUp: (table) => `SYSTEM SYNC REPLICA ${table}`,
}

/** A database of engine `Replicated`: it repeats each DDL statement on every server, and names the replicas. */
export const REPLICATED_DATABASE: TelemetryDialect = {
  ...SHARED_STORAGE,
  engine: (mergeTree) => `Replicated${mergeTree}`,
  tableSettings: `${FLUSHED}, ${REPLICATED_BATCHES}`,
}

/**
 * The servers of a cluster of `remote_servers`. With replicas they need the macros `{shard}` and `{replica}`, as every
 * replicated table does whose path is not written out.
 */
export function clusterDialect(cluster: string, hasReplicas: boolean): TelemetryDialect {
  const dialect = hasReplicas ? REPLICATED_DATABASE : SINGLE_SERVER
  return { ...dialect, onCluster: ` ON CLUSTER ${cluster}` }
}
