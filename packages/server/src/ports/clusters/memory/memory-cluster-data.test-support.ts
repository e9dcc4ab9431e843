import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterDetail, PlacedRun } from '../cluster-store.ts'
import type { NewRun, TraceFeatures } from '../discovery-memory.ts'
import type { StoredVector } from '../vector-memory.ts'

interface KeptFeatures extends TraceFeatures {
  readonly projectId: ProjectId
  readonly embedder: string
  /** Key of its vector. */
  readonly key: string | null
}

interface Member {
  /** Index of its cluster in the run. */
  readonly cluster: number
  /** Null for members that arrived after the run. */
  readonly at: readonly [x: number, y: number] | null
}

export interface KeptRun {
  readonly place: number
  readonly made: NewRun
  readonly members: Map<TraceId, Member>
  assignedThrough: TraceId
  told: boolean
}

interface KeptVector extends StoredVector {
  readonly source: string
}

/** For tests: the data of discoveries, which their memory writes and their store reads. */
export class MemoryClusterData {
  /** Newest last. */
  runs: KeptRun[] = []
  /** By project and trace. */
  readonly features = new Map<string, KeptFeatures>()
  /** Labels that were given, by project and cluster. */
  readonly labels = new Map<ProjectId, Map<ClusterId, string>>()
  /** By project and key. */
  readonly vectors = new Map<string, KeptVector>()

  newest(projectId: ProjectId): KeptRun | undefined {
    return this.runs.findLast(({ made }) => made.projectId === projectId)
  }

  at(place: number): KeptRun | undefined {
    return this.runs.find((run) => run.place === place)
  }

  dropVectorWithout(projectId: ProjectId, key: string): void {
    const isUsed = [...this.features.values()].some((one) => one.projectId === projectId && one.key === key)
    if (!isUsed) this.vectors.delete(`${projectId} ${key}`)
  }
}

export function toPlacedRun({ place, made, assignedThrough }: KeptRun): PlacedRun {
  const { id, projectId, parameters, computedAt, durationMs, traces, created, shifted, ended } = made
  const about = { id, projectId, parameters, computedAt, durationMs, traces, created, shifted, ended }
  return { place, ...about, embedderVersion: made.embedderVersion, quality: made.quality, assignedThrough }
}

export function toDetail({ made, members }: KeptRun, index: number): ClusterDetail {
  const { cohesion, isMixed, namedBy: _namedBy, representatives, ...found } = made.clusters[index]!
  const size = [...members.values()].filter(({ cluster }) => cluster === index).length
  const { columns, values } = made.centroids
  return {
    cluster: { ...found, size },
    cohesion,
    isMixed,
    representatives,
    centroid: values.slice(index * columns, (index + 1) * columns),
  }
}
