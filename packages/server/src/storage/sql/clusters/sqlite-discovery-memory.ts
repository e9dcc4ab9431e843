import type { ClusterId, JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { RUNS_KEPT } from '../../../ports/clusters/cluster-store.ts'
import {
  type DiscoveryMemory,
  FEATURES_KEPT,
  type NewMember,
  type NewRun,
  type RememberedCentroids,
  type RememberedRun,
  type StoredBasis,
  type TraceFeatures,
} from '../../../ports/clusters/discovery-memory.ts'
import type { ClusterCountChoice } from '@spoor/clustering/identity/previous-run'
import type { MapFrame } from '@spoor/clustering/map/map-frame'
import type { Matrix } from '@spoor/clustering/matrix'
import type { VectorMemory } from '../../../ports/clusters/vector-memory.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { runAtomically } from '../run-atomically.ts'
import { type MemoryStatements, prepareMemory } from './memory-statements.ts'
import { type Row, toFloats } from './run-row.ts'
import { SqliteVectorMemory } from './sqlite-vector-memory.ts'
import { writeRun } from './write-run.ts'

/** Rows removed in one transaction. */
const REMOVED_TOGETHER = 5000

/** What discoveries remember, on a connection of the worker's own. */
export class SqliteDiscoveryMemory implements DiscoveryMemory {
  readonly vectors: VectorMemory
  readonly #database: DatabaseSync
  readonly #sql: MemoryStatements

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#sql = prepareMemory(database)
    this.vectors = new SqliteVectorMemory(database)
  }

  withoutFeatures(
    projectId: ProjectId,
    traces: readonly { readonly id: TraceId; readonly version: number }[],
    embedder: string,
    options: { readonly withText: boolean },
  ): readonly TraceId[] {
    const project = idToBytes(projectId)
    const lacking = traces.filter(({ id, version }) => {
      const row = this.#sql.featuresVersion.get(project, idToBytes(id))
      if (row === undefined || row['embedder'] !== embedder || (row['version'] as number) < version) return true
      return options.withText && row['textless'] === 1
    })
    return lacking.map(({ id }) => id)
  }

  putFeatures(projectId: ProjectId, embedder: string, rows: readonly TraceFeatures[]): void {
    const project = idToBytes(projectId)
    runAtomically(this.#database, () => {
      for (const { traceId, version, features, excerpt, text } of rows) {
        this.#sql.putFeatures.run(project, idToBytes(traceId), version, embedder, features, excerpt, text)
      }
    })
  }

  features(projectId: ProjectId, embedder: string, traceIds: readonly TraceId[]): readonly (Uint8Array | undefined)[] {
    const project = idToBytes(projectId)
    return traceIds.map((id) => this.#sql.features.get(project, idToBytes(id), embedder)?.['features'] as Uint8Array)
  }

  excerpts(projectId: ProjectId, traceIds: readonly TraceId[]): readonly (string | undefined)[] {
    const project = idToBytes(projectId)
    return traceIds.map((id) => this.#sql.excerpt.get(project, idToBytes(id))?.['excerpt'] as string | undefined)
  }

  basis(projectId: ProjectId): StoredBasis | undefined {
    const row = this.#sql.basis.get(idToBytes(projectId))
    return row === undefined ? undefined : { fit: row['fit'] as number, basis: row['basis'] as Uint8Array }
  }

  lastRun(projectId: ProjectId): RememberedRun | undefined {
    const run = this.#sql.lastRun.get(idToBytes(projectId))
    if (run === undefined) return undefined
    const place = run['run'] as number
    const clusters = this.#sql.clusters.all(place)
    const members = this.#sql.members.all(place)
    const previous = {
      embedderVersion: run['embedder_version'] as string,
      clusters: clusters.map((row) => ({
        id: row['id'] as ClusterId,
        size: row['size'] as number,
        cohesion: row['cohesion'] as number,
      })),
      centroids: toMatrix(run['centroids'], clusters.length),
      traceIds: members.map((row) => idFromBytes('tr', row['trace_id'] as Uint8Array)),
      assignments: Int32Array.from(members, (row) => row['place'] as number),
      refusedGain: run['refused_gain'] as number,
      choice: JSON.parse(run['choice'] as string) as ClusterCountChoice,
      map: toMapFrame(run, members),
    }
    return {
      place,
      previous,
      firstSeenAt: clusters.map((row) => row['first_seen_at'] as number),
      names: clusters.map((row) => ({
        label: row['label'] as string,
        description: row['description'] as string,
        namedBy: row['named_by'] as string | null,
        keywords: JSON.parse(row['keywords'] as string) as string[],
      })),
    }
  }

  centroids(projectId: ProjectId): RememberedCentroids | undefined {
    const run = this.#sql.lastRun.get(idToBytes(projectId))
    if (run === undefined) return undefined
    const place = run['run'] as number
    const rows = this.#sql.clusters.all(place).length
    return {
      place,
      id: run['id'] as JobId,
      embedderVersion: run['embedder_version'] as string,
      centroids: toMatrix(run['centroids'], rows),
      reaches: toFloats(run['reaches']),
    }
  }

  applyRun(run: NewRun): void {
    this.#durably(() => runAtomically(this.#database, () => writeRun(this.#sql, run)))
  }

  addMembers(projectId: ProjectId, place: number, members: readonly NewMember[], through: TraceId): void {
    runAtomically(this.#database, () => {
      if (this.#sql.lastRun.get(idToBytes(projectId))?.['run'] !== place) return
      for (const { traceId, cluster } of members) {
        const { changes } = this.#sql.addMember.run(place, idToBytes(traceId), cluster, place)
        if (changes === 1) this.#sql.oneMore.run(place, cluster)
      }
      this.#sql.setAssignedThrough.run(idToBytes(through), place)
    })
  }

  tidy(projectId: ProjectId): boolean {
    const project = idToBytes(projectId)
    const [, ...older] = this.#sql.runPlaces.all(project).map((row) => row['run'] as number)
    return runAtomically(this.#database, () => {
      let room = REMOVED_TOGETHER
      for (const run of older) {
        room -= Number(this.#sql.dropMembers.run(run, run, room).changes)
        if (room === 0) return true
      }
      for (const run of older.slice(RUNS_KEPT - 1)) {
        this.#sql.dropClusters.run(run)
        this.#sql.dropRun.run(run)
      }
      const oldest = this.#sql.oldestKept.get(project, FEATURES_KEPT)?.['trace_id'] as Uint8Array | undefined
      if (oldest !== undefined) room -= Number(this.#sql.dropFeatures.run(project, oldest, room).changes)
      return room === 0 || this.#sql.dropVectors.run(project, room).changes === room
    })
  }

  /** Other writes may be lost with the power: they are made again. */
  #durably(write: () => void): void {
    this.#database.exec('PRAGMA synchronous = FULL')
    try {
      write()
    } finally {
      this.#database.exec('PRAGMA synchronous = NORMAL')
    }
  }
}

function toMatrix(value: SQLOutputValue | undefined, rows: number): Matrix {
  const values = toFloats(value)
  return { rows, columns: values.length / rows, values }
}

function toMapFrame(run: Row, members: readonly Row[]): MapFrame {
  const positions = new Float32Array(2 * members.length)
  members.forEach((row, index) => positions.set([row['x'] as number, row['y'] as number], 2 * index))
  return {
    directions: toMatrix(run['map_directions'], 2),
    centre: toFloats(run['map_centre']),
    scale: run['map_scale'] as number,
    positions,
  }
}
