import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import { type ClusterSetId, clusterSetsOf } from '../cluster-set.ts'
import type { ClusterDetail, PlacedRun, Selection } from '../cluster-store.ts'
import type { NewRun, TraceFeatures } from '../discovery-memory.ts'
import type { StoredVector } from '../vector-memory.ts'

interface KeptFeatures extends TraceFeatures {
  readonly setId: ClusterSetId
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
  readonly labels = new Map<ClusterSetId, Map<ClusterId, string>>()
  /** By project and key. */
  readonly vectors = new Map<string, KeptVector>()

  /** By project, oldest first. */
  readonly selections = new Map<ProjectId, Selection[]>()

  setsOf(projectId: ProjectId): readonly ClusterSetId[] {
    return clusterSetsOf(
      projectId,
      this.selections.get(projectId)?.map(({ id }) => id),
    )
  }

  newest(setId: ClusterSetId): KeptRun | undefined {
    return this.runs.findLast(({ made }) => made.setId === setId)
  }

  at(place: number): KeptRun | undefined {
    return this.runs.find((run) => run.place === place)
  }

  dropVectorWithout(setId: ClusterSetId, key: string): void {
    const isUsed = [...this.features.values()].some((one) => one.setId === setId && one.key === key)
    if (!isUsed) this.vectors.delete(`${setId} ${key}`)
  }
}

export function toPlacedRun({ place, made, assignedThrough }: KeptRun): PlacedRun {
  const { id, setId, parameters, computedAt, durationMs, traces, created, shifted, ended } = made
  const about = { id, setId, parameters, computedAt, durationMs, traces, created, shifted, ended }
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
