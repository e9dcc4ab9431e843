import type { ClusterId, JobId, ProjectId, SelectionId, TraceId } from '@spoor/contract/ids'
import { type ClusterSetId, clusterSetOf, clusterSetsOf } from '../../../ports/clusters/cluster-set.ts'
import { type ClusterFilter, NO_CLUSTER } from '@spoor/contract/trace-filters'
import { CLUSTER_KINDS } from '@spoor/contract/schemas/cluster'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { ClusterNews } from '../../../ports/clusters/cluster.ts'
import type {
  ClusterDetail,
  ClusterPlace,
  ClusterStore,
  FoundCluster,
  KeptTrace,
  MapPoint,
  PlacedRun,
  RunSummary,
  Selection,
} from '../../../ports/clusters/cluster-store.ts'
import { NO_PLACE } from '../../../ports/clusters/discovery-memory.ts'
import { allParts, readParts, runParts } from '../kit/list-statement.ts'
import { type BoundStatement, first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import { clusterStatementsOn } from './cluster-statements.ts'
import type { ClusterTables } from './cluster-tables.ts'
import { toFloats, toFoundCluster, toRun, toTraceId } from './run-row.ts'
import { addSelection, dropSelection, selectionStatementsOn, setsOf } from './selection-statements.ts'
import { setFromBytes, setToBytes } from './set-bytes.ts'

/** Before and after all ids. */
const FIRST = new Uint8Array()
const LAST = new Uint8Array(17).fill(255)

/** Members of a selection that are removed in one transaction. */
const DROPPED_TOGETHER = 1000

/** The results of discoveries for readers; SqlDiscoveryMemory writes them. */
export class SqlClusterStore extends storeOn(statementsOn) implements ClusterStore {
  async selections(projectId: ProjectId): Promise<readonly Selection[]> {
    const rows = await this.database.read(this.sql.selections({ projectId: idToBytes(projectId) }))
    return rows.map(({ id, filters, created_at: createdAt }) => ({ id: idFromBytes('sel', id), filters, createdAt }))
  }

  addSelection(projectId: ProjectId, { id, filters, createdAt }: Selection): Promise<boolean> {
    const row = { project_id: idToBytes(projectId), id: idToBytes(id), filters, created_at: createdAt }
    return this.transact((sql) => addSelection(sql, row))
  }

  dropSelection(projectId: ProjectId, id: SelectionId): Promise<boolean> {
    const sets = CLUSTER_KINDS.map((kind) => setToBytes(clusterSetOf(projectId, kind, id)))
    const of = { project_id: idToBytes(projectId), id: idToBytes(id) }
    return this.transact((sql) => dropSelection(sql, of, sets, DROPPED_TOGETHER))
  }

  async currentRun(setId: ClusterSetId): Promise<PlacedRun | undefined> {
    const row = await this.#first(this.sql.currentRun({ setId: setToBytes(setId) }))
    return row === undefined ? undefined : toRun(row)
  }

  async findRun(id: JobId): Promise<PlacedRun | undefined> {
    const row = await this.#first(this.sql.runById({ id }))
    return row === undefined ? undefined : toRun(row)
  }

  async runs(setId: ClusterSetId, before: number | null, limit: number): Promise<readonly RunSummary[]> {
    const page = { setId: setToBytes(setId), before: before ?? Number.MAX_SAFE_INTEGER, limit }
    const runs = await this.database.read(this.sql.runs(page))
    const places = runs.map((row) => row.run)
    const found = Map.groupBy(await readParts(this.database, this.sql.found(places, {})), (row) => row.run)
    return runs.map((row) => {
      const clusters = found.get(row.run) ?? []
      return Object.assign(toRun(row), {
        clusters: clusters.map(({ id, label, size }) => ({ id: id as ClusterId, label, size })),
      })
    })
  }

  async clusters({ place }: PlacedRun): Promise<readonly FoundCluster[]> {
    const rows = await this.database.read(this.sql.clusters({ run: place }))
    return rows.map(toFoundCluster)
  }

  async find({ place }: PlacedRun, id: ClusterId): Promise<ClusterDetail | undefined> {
    const row = await this.#first(this.sql.cluster({ run: place, id }))
    const stored = await this.#first(this.sql.centroids({ run: place }))
    if (row === undefined || stored === undefined) return undefined
    const centroids = toFloats(stored.centroids)
    const columns = centroids.length / (await this.database.read(this.sql.ids({ run: place }))).length
    const centroid = centroids.subarray(row.place * columns, (row.place + 1) * columns)
    return { ...toFoundCluster(row), centroid }
  }

  async labels(setId: ClusterSetId): Promise<ReadonlyMap<ClusterId, string>> {
    const rows = await this.database.read(this.sql.labels({ setId: setToBytes(setId) }))
    return new Map(rows.map(({ cluster_id: id, label }) => [id as ClusterId, label]))
  }

  async putLabel(setId: ClusterSetId, clusterId: ClusterId, label: string | null): Promise<void> {
    const of = { set_id: setToBytes(setId), cluster_id: clusterId }
    await this.run(label === null ? this.sql.dropLabel(of) : this.sql.putLabel({ ...of, label }))
  }

  async map({ place }: PlacedRun, limit: number): Promise<readonly MapPoint[]> {
    const ids = await this.#idsByPlace(place)
    const points: MapPoint[] = []
    for (const row of await this.database.read(this.sql.map({ run: place, limit }))) {
      const clusterId = ids.get(row.place)
      if (clusterId !== undefined) points.push({ traceId: toTraceId(row), x: row.x!, y: row.y!, clusterId })
    }
    return points
  }

  async place(projectId: ProjectId, id: ClusterFilter): Promise<ClusterPlace | null> {
    const of = await this.#find(projectId, id)
    if (of === null) return null
    const [lowest, highest] = [await this.#first(this.sql.lowest(of)), await this.#first(this.sql.highest(of))]
    if (lowest === undefined || highest === undefined) return null
    return { run: of.run, index: of.place, lowestId: toTraceId(lowest), highestId: toTraceId(highest) }
  }

  async members(
    { run: ofRun, index }: ClusterPlace,
    after: TraceId | null,
    order: 'asc' | 'desc',
    limit: number,
  ): Promise<readonly TraceId[]> {
    const [page, edge] = order === 'asc' ? [this.sql.membersUp, FIRST] : [this.sql.membersDown, LAST]
    const behind = after === null ? edge : idToBytes(after)
    return (await this.database.read(page({ run: ofRun, place: index, after: behind, limit }))).map(toTraceId)
  }

  async membersAmong({ run: ofRun, index }: ClusterPlace, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    const rows = await readParts(this.database, this.sql.places(traceIds.map(idToBytes), { run: ofRun }))
    return new Set(rows.filter(({ place }) => place === index).map(toTraceId))
  }

  async countAmong({ place }: PlacedRun, traceIds: readonly TraceId[]): Promise<ReadonlyMap<ClusterFilter, number>> {
    const counts = new Map<ClusterFilter, number>()
    if (traceIds.length === 0) return counts
    const ids = await this.#idsByPlace(place)
    for (const row of await readParts(this.database, this.sql.places(traceIds.map(idToBytes), { run: place }))) {
      const id = row.place === NO_PLACE ? NO_CLUSTER : ids.get(row.place)
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    return counts
  }

  async countUnassigned({ place }: PlacedRun): Promise<number> {
    return Number((await this.#first(this.sql.countMembers({ run: place, place: NO_PLACE })))!.members)
  }

  async pending(limit: number): Promise<readonly { readonly run: PlacedRun; readonly news: readonly ClusterNews[] }[]> {
    return (await this.database.read(this.sql.pending({ limit }))).map((row) => ({
      run: toRun(row),
      news: JSON.parse(row.news) as ClusterNews[],
    }))
  }

  async markEmitted(id: JobId): Promise<void> {
    await this.run(this.sql.markEmitted({ id }))
  }

  async keptTraces(after: KeptTrace | null, limit: number): Promise<readonly KeptTrace[]> {
    const setId = after === null ? FIRST : setToBytes(after.setId)
    const traceId = after === null ? FIRST : idToBytes(after.traceId)
    return (await this.database.read(this.sql.keptTraces({ setId, traceId, limit }))).map((row) => ({
      setId: setFromBytes(row.set_id),
      traceId: toTraceId(row),
    }))
  }

  forget(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    const { sql } = this
    const traces = traceIds.map(idToBytes)
    function* forgetIn(setId: Uint8Array): Work<void> {
      const newest = yield* first(sql.currentRun({ setId }))
      const forgotten = yield* allParts(sql.forgetFeatures(traces, { setId }))
      const keys = forgotten.flatMap((row) => row.vector_key ?? [])
      yield* runParts(sql.forgetVectors(keys, { setId }))
      if (newest === undefined) return
      const takenOut = yield* allParts(sql.takeOut(traces, { run: newest.run }))
      for (const [place, rows] of Map.groupBy(takenOut, (row) => row.place)) {
        yield* run(sql.changeSize({ run: newest.run, place, by: -rows.length }))
      }
    }
    return this.database.write(function* (): Work<void> {
      for (const setId of yield* setsOf(sql, projectId)) yield* forgetIn(setToBytes(setId))
    })
  }

  forgetTexts(projectId: ProjectId): Promise<boolean> {
    return this.transact(function* (sql): Work<boolean> {
      const sets = (yield* setsOf(sql, projectId)).map((setId) => ({ setId: setToBytes(setId) }))
      for (const set of sets) if ((yield* first(sql.usesTexts(set))) !== undefined) return false
      for (const set of sets) {
        yield* run(sql.clearClusters(set))
        yield* run(sql.clearNews(set))
      }
      return true
    })
  }

  /** Traces that fit no cluster are those of requests. */
  async #find(projectId: ProjectId, id: ClusterFilter): Promise<{ run: number; place: number } | null> {
    const known = (await this.selections(projectId)).map((one) => one.id)
    for (const setId of id === NO_CLUSTER ? [projectId] : clusterSetsOf(projectId, known)) {
      const newest = await this.currentRun(setId)
      if (newest === undefined) continue
      const of = { run: newest.place }
      if (id === NO_CLUSTER) return { ...of, place: NO_PLACE }
      const cluster = await this.#first(this.sql.cluster({ ...of, id }))
      if (cluster !== undefined) return { ...of, place: cluster.place }
    }
    return null
  }

  async #idsByPlace(ofRun: number): Promise<ReadonlyMap<number, ClusterId>> {
    const rows = await this.database.read(this.sql.ids({ run: ofRun }))
    return new Map(rows.map(({ place, id }) => [place, id as ClusterId]))
  }

  async #first<Row>(statement: BoundStatement<Row>): Promise<Row | undefined> {
    return (await this.database.read(statement))[0]
  }
}

function statementsOn(database: SqlDatabase<ClusterTables>) {
  return { ...clusterStatementsOn(database), ...selectionStatementsOn(database) }
}
