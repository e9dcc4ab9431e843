import type { ClusterId, JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { DatabaseSync } from 'node:sqlite'
import type { Cluster, ClusterNews } from '../../../ports/clusters/cluster.ts'
import type {
  ClusterDetail,
  ClusterPlace,
  ClusterStore,
  KeptTrace,
  MapPoint,
  PlacedRun,
  RunSummary,
} from '../../../ports/clusters/cluster-store.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { type ClusterStatements, prepareClusters } from './cluster-statements.ts'
import type { PatientWrites } from './patient-writes.ts'
import { type Row, toCluster, toFloats, toRepresentatives, toRun } from './run-row.ts'

/** Before and behind all ids. */
const FIRST = new Uint8Array()
const LAST = new Uint8Array(17).fill(255)

/** Clusters in SQLite as the main thread reads them; the worker writes them (sqlite-discovery-memory.ts). */
export class SqliteClusterStore implements ClusterStore {
  readonly #sql: ClusterStatements
  readonly #writes: PatientWrites
  readonly #onReadError: OnReadError

  constructor(database: DatabaseSync, writes: PatientWrites, onReadError: OnReadError) {
    this.#sql = prepareClusters(database)
    this.#writes = writes
    this.#onReadError = onReadError
  }

  currentRun(projectId: ProjectId): PlacedRun | undefined {
    return this.#read(() => toRunOrNone(this.#sql.currentRun.get(idToBytes(projectId))))
  }

  findRun(id: JobId): PlacedRun | undefined {
    return this.#read(() => toRunOrNone(this.#sql.findRun.get(id)))
  }

  runs(projectId: ProjectId, before: number | null, limit: number): readonly RunSummary[] {
    const from = before ?? Number.MAX_SAFE_INTEGER
    return this.#read(() => this.#sql.runs.all(idToBytes(projectId), from, limit).map((row) => this.#summary(row)))
  }

  projectsWithRuns(): readonly ProjectId[] {
    return this.#read(() => this.#sql.projects.all()).map((row) => idFromBytes('proj', row['project_id'] as Uint8Array))
  }

  clusters({ place }: PlacedRun): readonly Cluster[] {
    return this.#read(() => this.#sql.clusters.all(place)).map(toCluster)
  }

  find({ place }: PlacedRun, id: ClusterId): ClusterDetail | undefined {
    return this.#read(() => {
      const row = this.#sql.findCluster.get(place, id)
      if (row === undefined) return undefined
      const centroids = toFloats(this.#sql.centroids.get(place)?.['centroids'])
      const columns = centroids.length / this.#sql.ids.all(place).length
      const index = row['place'] as number
      const centroid = centroids.subarray(index * columns, (index + 1) * columns)
      return { cluster: toCluster(row), representatives: toRepresentatives(row), centroid }
    })
  }

  map({ place }: PlacedRun, limit: number): readonly MapPoint[] {
    return this.#read(() => {
      const ids = this.#idsByIndex(place)
      return this.#sql.map.all(place, limit).map((row) => ({
        traceId: traceIdOf(row),
        x: row['x'] as number,
        y: row['y'] as number,
        clusterId: ids.get(row['place'] as number) as ClusterId,
      }))
    })
  }

  place(projectId: ProjectId, id: ClusterId): ClusterPlace | null {
    const run = this.currentRun(projectId)?.place
    if (run === undefined) return null
    return this.#read(() => {
      const index = this.#sql.findCluster.get(run, id)?.['place'] as number | undefined
      if (index === undefined) return null
      const [lowest, highest] = [this.#sql.lowest.get(run, index), this.#sql.highest.get(run, index)]
      if (lowest === undefined || highest === undefined) return null
      return { run, index, lowestId: traceIdOf(lowest), highestId: traceIdOf(highest) }
    })
  }

  members(
    { run, index }: ClusterPlace,
    after: TraceId | null,
    order: 'asc' | 'desc',
    limit: number,
  ): readonly TraceId[] {
    const [statement, start] = order === 'asc' ? [this.#sql.membersUp, FIRST] : [this.#sql.membersDown, LAST]
    const behind = after === null ? start : idToBytes(after)
    return this.#read(() => statement.all(run, index, behind, limit)).map(traceIdOf)
  }

  membersAmong({ run, index }: ClusterPlace, traceIds: readonly TraceId[]): ReadonlySet<TraceId> {
    return this.#read(() => new Set(traceIds.filter((id) => this.#placeOf(run, id) === index)))
  }

  countAmong({ place }: PlacedRun, traceIds: readonly TraceId[]): ReadonlyMap<ClusterId, number> {
    return this.#read(() => {
      const counts = new Map<ClusterId, number>()
      const ids = traceIds.length === 0 ? new Map<number, ClusterId>() : this.#idsByIndex(place)
      for (const traceId of traceIds) {
        const id = ids.get(this.#placeOf(place, traceId) ?? -1)
        if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
      }
      return counts
    })
  }

  untold(limit: number): readonly { readonly run: PlacedRun; readonly news: readonly ClusterNews[] }[] {
    return this.#read(() => this.#sql.untold.all(limit)).map((row) => ({
      run: toRun(row),
      news: JSON.parse(row['news'] as string) as ClusterNews[],
    }))
  }

  async markTold(id: JobId): Promise<void> {
    await this.#writes.run(() => this.#sql.markTold.run(id))
  }

  keptTraces(after: KeptTrace | null, limit: number): readonly KeptTrace[] {
    const behind = after === null ? [FIRST, FIRST] : [idToBytes(after.projectId), idToBytes(after.traceId)]
    return this.#read(() => this.#sql.keptTraces.all(...behind, limit)).map((row) => ({
      projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
      traceId: traceIdOf(row),
    }))
  }

  async forget(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    const project = idToBytes(projectId)
    await this.#writes.run(() => {
      const run = this.#sql.currentRun.get(project)?.['run'] as number | undefined
      for (const trace of traceIds.map(idToBytes)) {
        const vectorKey = this.#sql.forgetFeatures.get(project, trace)?.['vector_key'] ?? null
        // Others may have the same text.
        if (vectorKey !== null) this.#sql.forgetVector.run(project, vectorKey)
        const place = run === undefined ? undefined : this.#sql.takeOut.get(run, trace)?.['place']
        if (run !== undefined && place !== undefined) this.#sql.oneLess.run(run, place)
      }
    })
  }

  #summary(row: Row): RunSummary {
    const run = toRun(row)
    return { ...run, clusters: this.#sql.clustersFound.all(run.place).map(toFound) }
  }

  #placeOf(run: number, traceId: TraceId): number | undefined {
    return this.#sql.placeOf.get(run, idToBytes(traceId))?.['place'] as number | undefined
  }

  #idsByIndex(run: number): Map<number, ClusterId> {
    return new Map(this.#sql.ids.all(run).map((row) => [row['place'] as number, row['id'] as ClusterId]))
  }

  #read<T>(read: () => T): T {
    return readOrRefuse(read, this.#onReadError)
  }
}

function toFound(row: Row): RunSummary['clusters'][number] {
  return { id: row['id'] as ClusterId, label: row['label'] as string, size: row['size'] as number }
}

function toRunOrNone(row: Row | undefined): PlacedRun | undefined {
  return row === undefined ? undefined : toRun(row)
}

function traceIdOf(row: Row): TraceId {
  return idFromBytes('tr', row['trace_id'] as Uint8Array)
}
