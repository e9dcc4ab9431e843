import type { ClusterId, JobId, TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../../ports/clusters/cluster-set.ts'
import type { MapFrame } from '@spoor/clustering/map/map-frame'
import type { Matrix } from '@spoor/clustering/matrix'
import type { Selectable } from 'kysely'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  DiscoveryMemory,
  NewMember,
  NewRun,
  RememberedCentroids,
  RememberedRun,
  StoredBasis,
  StoredTemplate,
  TraceFeatures,
} from '../../../ports/clusters/discovery-memory.ts'
import type { VectorMemory } from '../../../ports/clusters/vector-memory.ts'
import { readParts } from '../kit/list-statement.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import type { ClusterTables, MemberRow, RunRow } from './cluster-tables.ts'
import { memoryStatementsOn } from './memory-statements.ts'
import { toFloats, toTraceId, toTraceIds } from './run-row.ts'
import { SqlVectorMemory } from './sql-vector-memory.ts'
import { tidyClusters, tidyStatementsOn } from './tidy-clusters.ts'
import { type RunStatements, runStatementsOn, writeRun } from './write-run.ts'
import { setToBytes, wholeSetToBytes } from './set-bytes.ts'

export interface DiscoveryMemoryDatabases {
  /** A power loss may revert its last writes, which are repeated then. */
  readonly lazy: SqlDatabase<ClusterTables>
  /** The same database, where a write is durable when it resolves: for runs. */
  readonly durable: SqlDatabase<ClusterTables>
}

export class SqlDiscoveryMemory extends storeOn(memoryStatementsOn) implements DiscoveryMemory {
  readonly vectors: VectorMemory
  readonly #durable: SqlDatabase<ClusterTables>
  readonly #run: RunStatements
  readonly #tidy: ReturnType<typeof tidyStatementsOn>

  constructor({ lazy, durable }: DiscoveryMemoryDatabases) {
    super(lazy)
    this.#durable = durable
    this.#run = runStatementsOn(durable)
    this.#tidy = tidyStatementsOn(lazy)
    this.vectors = new SqlVectorMemory(lazy)
  }

  async withoutFeatures(
    setId: ClusterSetId,
    traces: readonly { readonly id: TraceId; readonly version: number }[],
    embedder: string,
    { withText, inputPath, template }: Parameters<DiscoveryMemory['withoutFeatures']>[3],
  ): Promise<readonly TraceId[]> {
    const ids = traces.map(({ id }) => idToBytes(id))
    const rows = await readParts(this.database, this.sql.versions(ids, { setId: wholeSetToBytes(setId) }))
    const known = new Map(rows.map((row) => [toTraceId(row), row]))
    const lacking = traces.filter(({ id, version }) => {
      const row = known.get(id)
      if (row === undefined || row.embedder !== embedder || row.version < version) return true
      if (row.input_path !== inputPath || row.template !== template) return true
      return withText && Boolean(row.textless)
    })
    return lacking.map(({ id }) => id)
  }

  putFeatures(setId: ClusterSetId, embedder: string, rows: readonly TraceFeatures[]): Promise<void> {
    const of = { set_id: wholeSetToBytes(setId), embedder }
    return this.transact(function* (sql): Work<void> {
      for (const { traceId, inputPath, ...row } of rows) {
        yield* run(sql.putFeatures({ ...of, ...row, trace_id: idToBytes(traceId), input_path: inputPath }))
      }
    })
  }

  async features(
    setId: ClusterSetId,
    embedder: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const of = { setId: wholeSetToBytes(setId), embedder }
    const rows = await readParts(this.database, this.sql.features(traceIds.map(idToBytes), of))
    const found = new Map(rows.map((row) => [toTraceId(row), row.features]))
    return traceIds.map((id) => found.get(id))
  }

  async excerpts(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]> {
    const of = { setId: wholeSetToBytes(setId) }
    const rows = await readParts(this.database, this.sql.excerpts(traceIds.map(idToBytes), of))
    const found = new Map(rows.map((row) => [toTraceId(row), row.excerpt]))
    return traceIds.map((id) => found.get(id))
  }

  async template(setId: ClusterSetId): Promise<StoredTemplate | undefined> {
    const [row] = await this.database.read(this.sql.template({ setId: wholeSetToBytes(setId) }))
    if (row === undefined) return undefined
    const { buffer, byteOffset, byteLength } = row.runs
    return {
      number: row.number,
      runs: new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer),
    }
  }

  async putTemplate(setId: ClusterSetId, { number, runs }: StoredTemplate): Promise<void> {
    const bytes = new Uint8Array(runs.buffer, runs.byteOffset, runs.byteLength)
    const row = { set_id: wholeSetToBytes(setId), number, runs: bytes }
    await this.run(this.sql.putTemplate(row))
  }

  async basis(setId: ClusterSetId): Promise<StoredBasis | undefined> {
    const [row] = await this.database.read(this.sql.basis({ setId: setToBytes(setId) }))
    return row === undefined ? undefined : { fit: row.fit, basis: row.basis }
  }

  async lastRun(setId: ClusterSetId): Promise<RememberedRun | undefined> {
    const [last] = await this.database.read(this.sql.lastRun({ setId: setToBytes(setId) }))
    if (last === undefined) return undefined
    const clusters = await this.database.read(this.sql.clusters({ run: last.run }))
    const members = await this.database.read(this.sql.members({ run: last.run }))
    const earlier = (await this.database.read(this.sql.sampled({ setId: setToBytes(setId) }))).at(-1)!
    return {
      place: last.run,
      previous: {
        embedderVersion: last.embedder_version,
        clusters: clusters.map(({ id, size, cohesion }) => ({ id: id as ClusterId, size, cohesion })),
        centroids: toMatrix(last.centroids, clusters.length),
        traceIds: members.map(toTraceId),
        assignments: Int32Array.from(members, (row) => row.place),
        refusedGain: last.refused_gain,
        kMin: last.k_min,
        kMax: last.k_max,
        map: toMapFrame(last, members),
      },
      firstSeenAt: clusters.map((row) => row.first_seen_at),
      names: clusters.map(({ label, description, parent, named_by: namedBy, keywords }) => ({
        label,
        description,
        parent,
        namedBy,
        keywords: JSON.parse(keywords) as string[],
      })),
      earlier: toTraceIds(earlier.sampled),
    }
  }

  async centroids(setId: ClusterSetId): Promise<RememberedCentroids | undefined> {
    const [last] = await this.database.read(this.sql.lastRun({ setId: setToBytes(setId) }))
    if (last === undefined) return undefined
    const clusters = await this.database.read(this.sql.clusters({ run: last.run }))
    return {
      place: last.run,
      id: last.id as JobId,
      embedderVersion: last.embedder_version,
      centroids: toMatrix(last.centroids, clusters.length),
      reaches: toFloats(last.reaches),
    }
  }

  applyRun(made: NewRun): Promise<boolean> {
    return this.#durable.write(() => writeRun(this.#run, made))
  }

  addMembers(addedTo: ClusterSetId, place: number, members: readonly NewMember[], through: TraceId): Promise<void> {
    const setId = setToBytes(addedTo)
    return this.transact(function* (sql): Work<void> {
      if ((yield* first(sql.newest({ setId })))?.run !== place) return
      let ordinal = ((yield* first(sql.lastOrdinal({ run: place })))?.ordinal ?? -1) + 1
      const added = new Map<number, number>()
      for (const { traceId, cluster } of members) {
        const member = { run: place, ordinal, traceId: idToBytes(traceId), place: cluster }
        if ((yield* run(sql.addMember(member))) === 0) continue
        ordinal++
        added.set(cluster, (added.get(cluster) ?? 0) + 1)
      }
      for (const [cluster, by] of added) yield* run(sql.changeSize({ run: place, place: cluster, by }))
      yield* run(sql.assignThrough({ run: place, through: idToBytes(through) }))
    })
  }

  tidy(setId: ClusterSetId): Promise<boolean> {
    return this.database.write(() => tidyClusters(this.#tidy, setToBytes(setId), wholeSetToBytes(setId)))
  }
}

function toMatrix(bytes: Uint8Array, rows: number): Matrix {
  const values = toFloats(bytes)
  return { rows, columns: values.length / rows, values }
}

function toMapFrame(last: Selectable<RunRow>, members: readonly Pick<MemberRow, 'x' | 'y'>[]): MapFrame {
  const positions = new Float32Array(2 * members.length)
  members.forEach(({ x, y }, index) => positions.set([x!, y!], 2 * index))
  return {
    directions: toMatrix(last.map_directions, 2),
    centre: toFloats(last.map_centre),
    scale: last.map_scale,
    positions,
  }
}
