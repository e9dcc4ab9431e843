import type { ProjectId } from '@spoor/contract/ids'
import { CLUSTER_SELECTIONS_MAX } from '@spoor/contract/limits'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { type ClusterSetId, clusterSetsOf } from '../../../ports/clusters/cluster-set.ts'
import { all, first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ClusterTables, SelectionRow } from './cluster-tables.ts'
import { tidyStatementsOn } from './tidy-clusters.ts'

type SelectionKey = Pick<SelectionRow, 'project_id' | 'id'>
export type SelectionStatements = ReturnType<typeof selectionStatementsOn>

/** Statements on selections, and those that remove all of one of their sets. */
export function selectionStatementsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  const dropFrom = (table: 'jobs' | 'bases' | 'cluster_labels') =>
    query<{ setId: Uint8Array }>(`DELETE FROM ${table} WHERE set_id = :setId`)
  const { runPlaces, dropMembers, dropClusters, dropRun } = tidyStatementsOn(database)
  return {
    runPlaces,
    dropMembers,
    dropClusters,
    dropRun,
    ofSet: [dropFrom('jobs'), dropFrom('bases'), dropFrom('cluster_labels')],
    selections: query<{ projectId: Uint8Array }, SelectionRow>(
      'SELECT * FROM cluster_selections WHERE project_id = :projectId ORDER BY created_at, id',
    ),
    addSelection: database.statement((queries, row: SelectionRow) =>
      queries
        .insertInto('cluster_selections')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    ),
    dropSelection: query<SelectionKey>('DELETE FROM cluster_selections WHERE project_id = :project_id AND id = :id'),
  }
}

export function* setsOf(sql: SelectionStatements, projectId: ProjectId): Work<readonly ClusterSetId[]> {
  const rows = yield* all(sql.selections({ projectId: idToBytes(projectId) }))
  const known = rows.map(({ id }) => idFromBytes('sel', id))
  return clusterSetsOf(projectId, known)
}

/** Returns false, and changes nothing, when the project has too many others. */
export function* addSelection(sql: SelectionStatements, row: SelectionRow): Work<boolean> {
  const known = yield* all(sql.selections({ projectId: row.project_id }))
  if (known.some(({ id }) => Buffer.compare(id, row.id) === 0)) return true
  if (known.length >= CLUSTER_SELECTIONS_MAX) return false
  yield* run(sql.addSelection(row))
  return true
}

/** Removes a part of these sets of the selection, then the selection; returns whether there is more. */
export function* dropSelection(
  sql: SelectionStatements,
  selection: SelectionKey,
  setIds: readonly Uint8Array[],
  limit: number,
): Work<boolean> {
  for (const setId of setIds) {
    for (const drop of sql.ofSet) yield* run(drop({ setId }))
    const newest = yield* first(sql.runPlaces({ setId }))
    if (newest === undefined) continue
    const of = newest.run
    if ((yield* run(sql.dropMembers({ of, limit }))) < limit) {
      yield* run(sql.dropClusters({ of }))
      yield* run(sql.dropRun({ of }))
    }
    return true
  }
  yield* run(sql.dropSelection(selection))
  return false
}
