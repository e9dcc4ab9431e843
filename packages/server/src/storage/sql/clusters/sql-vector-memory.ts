import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../../ports/clusters/cluster-set.ts'
import { sql } from 'kysely'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { StoredVector, VectorMemory } from '../../../ports/clusters/vector-memory.ts'
import { listStatement, readParts } from '../kit/list-statement.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { ClusterTables, VectorRow } from './cluster-tables.ts'
import { toTraceId } from './run-row.ts'
import { wholeSetToBytes } from './set-bytes.ts'

/** Vectors by endpoints; a trace refers to the vector of its text. */
export class SqlVectorMemory implements VectorMemory {
  readonly #database: SqlDatabase<ClusterTables>
  readonly #sql: ReturnType<typeof statementsOn>

  constructor(database: SqlDatabase<ClusterTables>) {
    this.#database = database
    this.#sql = statementsOn(database)
  }

  async dimension(setId: ClusterSetId, source: string): Promise<number | null> {
    const [row] = await this.#database.read(this.#sql.dimension({ setId: wholeSetToBytes(setId), source }))
    return row === undefined ? null : row.dimension
  }

  async lacking(setId: ClusterSetId, source: string, traceIds: readonly TraceId[]): Promise<readonly TraceId[]> {
    const of = { setId: wholeSetToBytes(setId), source }
    const rows = await readParts(this.#database, this.#sql.lacking(traceIds.map(idToBytes), of))
    const lacking = new Set(rows.map(toTraceId))
    return traceIds.filter((id) => lacking.has(id))
  }

  async texts(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]> {
    const of = { setId: wholeSetToBytes(setId) }
    const rows = await readParts(this.#database, this.#sql.texts(traceIds.map(idToBytes), of))
    const found = new Map(rows.map((row) => [toTraceId(row), row.text]))
    return traceIds.map((id) => found.get(id) ?? undefined)
  }

  async known(setId: ClusterSetId, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const of = { setId: wholeSetToBytes(setId) }
    const rows = await readParts(this.#database, this.#sql.known(keys.map(fromHex), of))
    return new Set(rows.map((row) => Buffer.from(row.vector_key).toString('hex')))
  }

  put(
    keptFor: ClusterSetId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): Promise<void> {
    const statements = this.#sql
    const setId = wholeSetToBytes(keptFor)
    return this.#database.write(function* (): Work<void> {
      for (const { key, dimension, bytes } of vectors) {
        const row = { set_id: setId, vector_key: fromHex(key), source, dimension, vector: bytes }
        yield* run(statements.insert(row))
      }
      for (const { traceId, key } of traces) {
        yield* run(statements.setKey({ setId, traceId: idToBytes(traceId), key: fromHex(key) }))
      }
    })
  }

  async read(
    setId: ClusterSetId,
    source: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const of = { setId: wholeSetToBytes(setId), source }
    const rows = await readParts(this.#database, this.#sql.read(traceIds.map(idToBytes), of))
    const found = new Map(rows.map((row) => [toTraceId(row), row.vector]))
    return traceIds.map((id) => found.get(id))
  }
}

interface OfProject {
  readonly setId: Uint8Array
}

interface OfSource extends OfProject {
  readonly source: string
}

function statementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    dimension: database.statement((queries, { setId, source }: OfSource) =>
      queries
        .selectFrom('vectors')
        .select('dimension')
        .where('set_id', '=', setId)
        .where('source', '=', source)
        .where('dimension', '>', sql.lit(0))
        .limit(sql.lit(1)),
    ),
    lacking: listStatement(database, (queries, traceIds: readonly Uint8Array[], { setId, source }: OfSource) =>
      queries
        .selectFrom('features')
        .select('features.trace_id')
        .where('features.set_id', '=', setId)
        .where('features.trace_id', 'in', traceIds)
        .where('features.text', 'is not', null)
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('vectors')
                .select(sql.lit(1).as('one'))
                .where('vectors.set_id', '=', setId)
                .whereRef('vectors.vector_key', '=', 'features.vector_key')
                .where('vectors.source', '=', source),
            ),
          ),
        ),
    ),
    texts: listStatement(database, (queries, traceIds: readonly Uint8Array[], { setId }: OfProject) =>
      queries
        .selectFrom('features')
        .select(['trace_id', 'text'])
        .where('set_id', '=', setId)
        .where('trace_id', 'in', traceIds),
    ),
    known: listStatement(database, (queries, keys: readonly Uint8Array[], { setId }: OfProject) =>
      queries.selectFrom('vectors').select('vector_key').where('set_id', '=', setId).where('vector_key', 'in', keys),
    ),
    insert: database.statement((queries, row: VectorRow) =>
      queries
        .insertInto('vectors')
        .values(row)
        .onConflict((conflict) => conflict.columns(['set_id', 'vector_key']).doNothing()),
    ),
    setKey: database.statement(
      (queries, { setId, traceId, key }: OfProject & { readonly traceId: Uint8Array; readonly key: Uint8Array }) =>
        queries
          .updateTable('features')
          .set({ vector_key: key })
          .where('set_id', '=', setId)
          .where('trace_id', '=', traceId),
    ),
    read: listStatement(database, (queries, traceIds: readonly Uint8Array[], { setId, source }: OfSource) =>
      queries
        .selectFrom('features')
        .innerJoin('vectors', (join) =>
          join.onRef('vectors.set_id', '=', 'features.set_id').onRef('vectors.vector_key', '=', 'features.vector_key'),
        )
        .select(['features.trace_id', 'vectors.vector'])
        .where('features.set_id', '=', setId)
        .where('features.trace_id', 'in', traceIds)
        .where('vectors.source', '=', source),
    ),
  }
}

function fromHex(key: string): Uint8Array {
  return Buffer.from(key, 'hex')
}
