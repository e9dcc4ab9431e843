import type { ClusterId, JobId, TraceId } from '@spoor/contract/ids'
import type { Selectable } from 'kysely'
import type { ClusterColor } from '@spoor/clustering/evaluate-failures'
import type { Cluster, Representative } from '../../../ports/clusters/cluster.ts'
import type { FoundCluster, PlacedRun } from '../../../ports/clusters/cluster-store.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import type { ClusterRow, RunRow } from './cluster-tables.ts'
import { toParameters } from './job-row.ts'
import { setFromBytes } from './set-bytes.ts'

/** The columns for `toRun`: the vectors of a run are larger than all the others. */
export const RUN_COLUMNS = [
  'run',
  'id',
  'set_id',
  'computed_at',
  'duration_ms',
  'window_hours',
  'k_min',
  'k_max',
  'only_complete',
  'failure_by',
  'traces',
  'created',
  'shifted',
  'ended',
  'embedder_version',
  'cohesion',
  'silhouette',
  'assigned_through',
] as const

export function toRun(row: Pick<Selectable<RunRow>, (typeof RUN_COLUMNS)[number]>): PlacedRun {
  return {
    place: row.run,
    id: row.id as JobId,
    setId: setFromBytes(row.set_id),
    parameters: toParameters(row),
    computedAt: row.computed_at,
    durationMs: row.duration_ms,
    traces: row.traces,
    created: row.created,
    shifted: row.shifted,
    ended: row.ended,
    embedderVersion: row.embedder_version,
    quality: { cohesion: row.cohesion, silhouette: row.silhouette },
    assignedThrough: idFromBytes('tr', row.assigned_through),
  }
}

/** With its current number of members. */
function toCluster(row: ClusterRow): Cluster {
  return {
    id: row.id as ClusterId,
    label: row.label,
    description: row.description,
    keywords: JSON.parse(row.keywords) as string[],
    parent: row.parent,
    color: row.color as ClusterColor,
    judged: row.judged,
    errorRate: row.error_rate,
    size: row.members,
    firstSeenAt: row.first_seen_at,
  }
}

export function toFoundCluster(row: ClusterRow): FoundCluster {
  const representatives = JSON.parse(row.representatives) as Representative[]
  return { cluster: toCluster(row), cohesion: row.cohesion, isMixed: row.is_mixed === 1, representatives }
}

export function toTraceId(row: { readonly trace_id: Uint8Array }): TraceId {
  return idFromBytes('tr', row.trace_id)
}

/** Ids one after the other. */
export function toTraceIds(bytes: Uint8Array): TraceId[] {
  return Array.from({ length: bytes.length / ID_BYTES }, (_, at) =>
    idFromBytes('tr', bytes.subarray(at * ID_BYTES, (at + 1) * ID_BYTES)),
  )
}

const ID_BYTES = 16

export function toBytes(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/** A copy, because bytes from a database may be unaligned. */
export function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer)
}
