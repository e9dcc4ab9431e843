import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { StoredVector, VectorMemory } from '../../../ports/clusters/vector-memory.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { runAtomically } from '../run-atomically.ts'

const SQL = {
  dimension: 'SELECT dimension FROM vectors WHERE project_id = ? AND source = ? AND dimension > 0 LIMIT 1',
  lacks: `SELECT 1 FROM features WHERE project_id = ? AND trace_id = ? AND text IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM vectors WHERE vectors.project_id = features.project_id AND vectors.vector_key = features.vector_key AND source = ?)`,
  text: 'SELECT text FROM features WHERE project_id = ? AND trace_id = ?',
  knows: 'SELECT 1 FROM vectors WHERE project_id = ? AND vector_key = ?',
  put: 'INSERT INTO vectors VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  setKey: 'UPDATE features SET vector_key = ? WHERE project_id = ? AND trace_id = ?',
  read: `SELECT vector FROM features JOIN vectors USING (project_id, vector_key)
    WHERE features.project_id = ? AND trace_id = ? AND source = ?`,
} as const

/** Vectors of endpoints in SQLite, on the worker's connection. */
export class SqliteVectorMemory implements VectorMemory {
  readonly #database: DatabaseSync
  readonly #sql: { readonly [name in keyof typeof SQL]: StatementSync }

  constructor(database: DatabaseSync) {
    this.#database = database
    const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
    this.#sql = Object.fromEntries(entries) as { readonly [name in keyof typeof SQL]: StatementSync }
  }

  dimension(projectId: ProjectId, source: string): number | null {
    const row = this.#sql.dimension.get(idToBytes(projectId), source)
    return row === undefined ? null : (row['dimension'] as number)
  }

  lacking(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): readonly TraceId[] {
    const project = idToBytes(projectId)
    return traceIds.filter((id) => this.#sql.lacks.get(project, idToBytes(id), source) !== undefined)
  }

  texts(projectId: ProjectId, traceIds: readonly TraceId[]): readonly (string | undefined)[] {
    const project = idToBytes(projectId)
    return traceIds.map((id) => (this.#sql.text.get(project, idToBytes(id))?.['text'] as string | null) ?? undefined)
  }

  known(projectId: ProjectId, keys: readonly string[]): ReadonlySet<string> {
    const project = idToBytes(projectId)
    return new Set(keys.filter((key) => this.#sql.knows.get(project, Buffer.from(key, 'hex')) !== undefined))
  }

  put(
    projectId: ProjectId,
    source: string,
    vectors: readonly StoredVector[],
    traces: readonly { readonly traceId: TraceId; readonly key: string }[],
  ): void {
    const project = idToBytes(projectId)
    runAtomically(this.#database, () => {
      for (const { key, dimension, bytes } of vectors) {
        this.#sql.put.run(project, Buffer.from(key, 'hex'), source, dimension, bytes)
      }
      for (const { traceId, key } of traces) {
        this.#sql.setKey.run(Buffer.from(key, 'hex'), project, idToBytes(traceId))
      }
    })
  }

  read(projectId: ProjectId, source: string, traceIds: readonly TraceId[]): readonly (Uint8Array | undefined)[] {
    const project = idToBytes(projectId)
    return traceIds.map(
      (id) => this.#sql.read.get(project, idToBytes(id), source)?.['vector'] as Uint8Array | undefined,
    )
  }
}
