import type { ClusterId, JobId } from '@spoor/contract/ids'
import type { SQLOutputValue } from 'node:sqlite'
import type { ClusterColor } from '@spoor/clustering/judge-failures'
import type { Cluster, Representative } from '../../../ports/clusters/cluster.ts'
import type { PlacedRun } from '../../../ports/clusters/cluster-store.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import { toParameters } from './job-row.ts'

export type Row = Readonly<Record<string, SQLOutputValue>>

/** What `toRun` takes: the vectors of a run are larger than all the rest. */
export const RUN_COLUMNS = `run, id, project_id, computed_at, duration_ms, window_hours, k_min, k_max, traces, created, shifted, ended,
  embedder_version, cohesion, silhouette, assigned_through`

export function toRun(row: Row): PlacedRun {
  return {
    place: row['run'] as number,
    id: row['id'] as JobId,
    projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
    parameters: toParameters(row),
    computedAt: row['computed_at'] as number,
    durationMs: row['duration_ms'] as number,
    traces: row['traces'] as number,
    created: row['created'] as number,
    shifted: row['shifted'] as number,
    ended: row['ended'] as number,
    embedderVersion: row['embedder_version'] as string,
    quality: { cohesion: row['cohesion'] as number, silhouette: row['silhouette'] as number },
    assignedThrough: idFromBytes('tr', row['assigned_through'] as Uint8Array),
  }
}

/** With who is a member now. */
export function toCluster(row: Row): Cluster {
  return {
    id: row['id'] as ClusterId,
    label: row['label'] as string,
    description: row['description'] as string,
    keywords: JSON.parse(row['keywords'] as string) as string[],
    color: row['color'] as ClusterColor,
    errorRate: row['error_rate'] as number,
    size: row['members'] as number,
    firstSeenAt: row['first_seen_at'] as number,
  }
}

export function toRepresentatives(row: Row): Representative[] {
  return JSON.parse(row['representatives'] as string) as Representative[]
}

export function toBytes(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/** A copy: what SQLite hands out need not begin where a number may. */
export function toFloats(value: SQLOutputValue | undefined): Float32Array {
  const bytes = value as Uint8Array
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
