import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../../ports/clusters/cluster-set.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { StoredVector, VectorMemory } from '../../../ports/clusters/vector-memory.ts'
import { readParts } from '../kit/list-statement.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { ClusterTables, FeatureRow, OfSet, VectorRow } from './cluster-tables.ts'
import { toTraceId } from './run-row.ts'
import { wholeSetToBytes } from './set-bytes.ts'

/** Vectors by endpoints; a trace refers to the vector of its text. */
export class SqlVectorMemory extends storeOn(statementsOn) implements VectorMemory {
  async dimension(setId: ClusterSetId, source: string): Promise<number | null> {
    const [row] = await this.database.read(this.sql.dimension({ setId: wholeSetToBytes(setId), source }))
    return row === undefined ? null : row.dimension
  }

  async lacking(setId: ClusterSetId, source: string, traceIds: readonly TraceId[]): Promise<readonly TraceId[]> {
    const of = { setId: wholeSetToBytes(setId), source }
    const rows = await readParts(this.database, this.sql.lacking(traceIds.map(idToBytes), of))
    const lacking = new Set(rows.map(toTraceId))
    return traceIds.filter((id) => lacking.has(id))
  }

  async texts(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]> {
    const of = { setId: wholeSetToBytes(setId) }
    const rows = await readParts(this.database, this.sql.texts(traceIds.map(idToBytes), of))
    const found = new Map(rows.map((row) => [toTraceId(row), row.text]))
    return traceIds.map((id) => found.get(id) ?? undefined)
  }

  async known(setId: ClusterSetId, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const of = { setId: wholeSetToBytes(setId) }
    const rows = await readParts(this.database, this.sql.known(keys.map(fromHex), of))
    return new Set(rows.map((row) => Buffer.from(row.vector_key).toString('hex')))
  }

  put(
    keptFor: ClusterSetId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): Promise<void> {
    const setId = wholeSetToBytes(keptFor)
    return this.transact(function* (sql): Work<void> {
      for (const { key, dimension, bytes } of vectors) {
        const row = { set_id: setId, vector_key: fromHex(key), source, dimension, vector: bytes }
        yield* run(sql.insert(row))
      }
      for (const { traceId, key } of traces) {
        yield* run(sql.setKey({ setId, traceId: idToBytes(traceId), key: fromHex(key) }))
      }
    })
  }

  async read(
    setId: ClusterSetId,
    source: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const of = { setId: wholeSetToBytes(setId), source }
    const rows = await readParts(this.database, this.sql.read(traceIds.map(idToBytes), of))
    const found = new Map(rows.map((row) => [toTraceId(row), row.vector]))
    return traceIds.map((id) => found.get(id))
  }
}

interface OfSource extends OfSet {
  readonly source: string
}

function statementsOn(database: SqlDatabase<ClusterTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    dimension: query<OfSource, Pick<VectorRow, 'dimension'>>(
      'SELECT dimension FROM vectors WHERE set_id = :setId AND source = :source AND dimension > 0 LIMIT 1',
    ),
    lacking: listQuery<Uint8Array, Pick<FeatureRow, 'trace_id'>, OfSource>(`SELECT features.trace_id FROM features
      WHERE features.set_id = :setId AND features.trace_id IN (:values) AND features.text IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM vectors WHERE vectors.set_id = :setId AND vectors.vector_key = features.vector_key
          AND vectors.source = :source)`),
    texts: listQuery<Uint8Array, Pick<FeatureRow, 'trace_id' | 'text'>, OfSet>(
      'SELECT trace_id, text FROM features WHERE set_id = :setId AND trace_id IN (:values)',
    ),
    known: listQuery<Uint8Array, Pick<VectorRow, 'vector_key'>, OfSet>(
      'SELECT vector_key FROM vectors WHERE set_id = :setId AND vector_key IN (:values)',
    ),
    insert: database.statement((queries, row: VectorRow) =>
      queries
        .insertInto('vectors')
        .values(row)
        .onConflict((conflict) => conflict.columns(['set_id', 'vector_key']).doNothing()),
    ),
    setKey: query<OfSet & { traceId: Uint8Array; key: Uint8Array }>(
      'UPDATE features SET vector_key = :key WHERE set_id = :setId AND trace_id = :traceId',
    ),
    read: listQuery<Uint8Array, Pick<FeatureRow, 'trace_id'> & Pick<VectorRow, 'vector'>, OfSource>(`SELECT
        features.trace_id, vectors.vector
      FROM features JOIN vectors ON vectors.set_id = features.set_id AND vectors.vector_key = features.vector_key
      WHERE features.set_id = :setId AND features.trace_id IN (:values) AND vectors.source = :source`),
  }
}

function fromHex(key: string): Uint8Array {
  return Buffer.from(key, 'hex')
}
