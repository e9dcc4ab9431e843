import { CLUSTER_RUNS_KEPT, CLUSTER_TRACES_MAX } from '@spoor/contract/limits'
import { all, first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ClusterTables, FeatureRow, OfSet } from './cluster-tables.ts'

/** Most rows removed in one transaction. */
const REMOVED_TOGETHER = 5000

interface OfRun {
  readonly of: number
}

export function tidyStatementsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    runPlaces: query<OfSet, { run: number }>('SELECT run FROM runs WHERE set_id = :setId ORDER BY run DESC'),
    dropMembers: query<OfRun & { limit: number }>(`DELETE FROM members WHERE run = :of AND ordinal IN (
      SELECT few.ordinal FROM members AS few WHERE few.run = :of LIMIT :limit)`),
    dropClusters: query<OfRun>('DELETE FROM clusters WHERE run = :of'),
    dropRun: query<OfRun>('DELETE FROM runs WHERE run = :of'),
    dropLabels: query<OfSet & { newest: number }>(`DELETE FROM cluster_labels WHERE set_id = :setId
      AND cluster_id NOT IN (SELECT clusters.id FROM clusters WHERE clusters.run = :newest)`),
    newestNotKept: query<OfSet, Pick<FeatureRow, 'trace_id'>>(`SELECT trace_id FROM features WHERE set_id = :setId
      ORDER BY trace_id DESC LIMIT 1 OFFSET ${CLUSTER_TRACES_MAX}`),
    dropFeatures: query<OfSet & { through: Uint8Array; limit: number }>(`DELETE FROM features WHERE set_id = :setId
      AND trace_id IN (SELECT old.trace_id FROM features AS old
        WHERE old.set_id = :setId AND old.trace_id <= :through LIMIT :limit)`),
    dropVectors: query<OfSet & { limit: number }>(`DELETE FROM vectors WHERE set_id = :setId
      AND vector_key IN (SELECT unused.vector_key FROM vectors AS unused
        WHERE unused.set_id = :setId AND NOT EXISTS (
          SELECT 1 FROM features WHERE features.set_id = :setId AND features.vector_key = unused.vector_key)
        LIMIT :limit)`),
  }
}

/** Removes a part; returns whether there may be more. */
export function* tidyClusters(
  statements: ReturnType<typeof tidyStatementsOn>,
  setId: Uint8Array,
  wholeSetId: Uint8Array,
): Work<boolean> {
  const [newest, ...older] = (yield* all(statements.runPlaces({ setId }))).map((row) => row.run)
  let room = REMOVED_TOGETHER
  if (newest !== undefined) yield* run(statements.dropLabels({ setId, newest }))
  for (const of of older) {
    room -= yield* run(statements.dropMembers({ of, limit: room }))
    if (room === 0) return true
  }
  for (const of of older.slice(CLUSTER_RUNS_KEPT - 1)) {
    yield* run(statements.dropClusters({ of }))
    yield* run(statements.dropRun({ of }))
  }
  const last = yield* first(statements.newestNotKept({ setId: wholeSetId }))
  if (last !== undefined) {
    room -= yield* run(statements.dropFeatures({ setId: wholeSetId, through: last.trace_id, limit: room }))
  }
  return room === 0 || (yield* run(statements.dropVectors({ setId: wholeSetId, limit: room }))) === room
}
