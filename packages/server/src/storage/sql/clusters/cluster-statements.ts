import type { Selectable } from 'kysely'
import { NO_LABEL } from '../../../ports/clusters/cluster.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ClusterLabelRow, ClusterRow, ClusterTables, FeatureRow, OfRun, OfSet, RunRow } from './cluster-tables.ts'
import { memberStatementsOn } from './member-statements.ts'
import { RUN_COLUMNS } from './run-row.ts'

type ListedRun = Pick<Selectable<RunRow>, (typeof RUN_COLUMNS)[number]>

export function clusterStatementsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  const columns = RUN_COLUMNS.join(', ')
  return {
    ...memberStatementsOn(database),
    ...clustersOn(database),
    ...removalsOn(database),
    ...labelsOn(database),
    currentRun: query<OfSet, ListedRun>(`SELECT ${columns} FROM runs WHERE set_id = :setId ORDER BY run DESC LIMIT 1`),
    runById: query<{ id: string }, ListedRun>(`SELECT ${columns} FROM runs WHERE id = :id`),
    runs: query<OfSet & { before: number; limit: number }, ListedRun>(
      `SELECT ${columns} FROM runs WHERE set_id = :setId AND run < :before ORDER BY run DESC LIMIT :limit`,
    ),
    // `told` is in the statement's text, as in the index.
    pending: query<{ limit: number }, ListedRun & Pick<RunRow, 'news'>>(
      `SELECT ${columns}, news FROM runs WHERE told = 0 ORDER BY run LIMIT :limit`,
    ),
    markEmitted: query<{ id: string }>('UPDATE runs SET told = 1 WHERE id = :id'),
  }
}

function clustersOn(database: SqlDatabase<ClusterTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    clusters: query<OfRun, ClusterRow>('SELECT * FROM clusters WHERE run = :run ORDER BY members DESC, place'),
    cluster: query<OfRun & { id: string }, ClusterRow>('SELECT * FROM clusters WHERE run = :run AND id = :id'),
    found: listQuery<number, Pick<ClusterRow, 'run' | 'place' | 'id' | 'label' | 'size'>>(
      'SELECT run, place, id, label, size FROM clusters WHERE run IN (:values) ORDER BY run, place',
    ),
    centroids: query<OfRun, Pick<RunRow, 'centroids'>>('SELECT centroids FROM runs WHERE run = :run'),
    ids: query<OfRun, Pick<ClusterRow, 'place' | 'id'>>('SELECT place, id FROM clusters WHERE run = :run'),
  }
}

function labelsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    labels: query<OfSet, Pick<ClusterLabelRow, 'cluster_id' | 'label'>>(
      'SELECT cluster_id, label FROM cluster_labels WHERE set_id = :setId',
    ),
    putLabel: query<ClusterLabelRow>(`INSERT INTO cluster_labels (set_id, cluster_id, label)
      VALUES (:set_id, :cluster_id, :label) ON CONFLICT (set_id, cluster_id) DO UPDATE SET label = :label`),
    dropLabel: query<Omit<ClusterLabelRow, 'label'>>(
      'DELETE FROM cluster_labels WHERE set_id = :set_id AND cluster_id = :cluster_id',
    ),
  }
}

function removalsOn(database: SqlDatabase<ClusterTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    /** Neither while a discovery runs, which may have read them, nor before their events are journaled. */
    usesTexts: query<OfSet>(`SELECT id FROM jobs WHERE set_id = :setId AND status = 'running'
      UNION ALL SELECT id FROM runs WHERE set_id = :setId AND told = 0`),
    clearClusters: query<OfSet>(`UPDATE clusters
      SET label = '${NO_LABEL}', description = '', keywords = '[]', parent = NULL, named_by = NULL
      WHERE run IN (SELECT runs.run FROM runs WHERE set_id = :setId)`),
    clearNews: query<OfSet>(`UPDATE runs SET news = '[]' WHERE set_id = :setId`),
    keptTraces: query<OfSet & { traceId: Uint8Array; limit: number }, Pick<FeatureRow, 'set_id' | 'trace_id'>>(
      `SELECT set_id, trace_id FROM features WHERE (set_id, trace_id) > (:setId, :traceId)
      ORDER BY set_id, trace_id LIMIT :limit`,
    ),
    forgetFeatures: listQuery<Uint8Array, Pick<FeatureRow, 'vector_key'>, OfSet>(
      'DELETE FROM features WHERE set_id = :setId AND trace_id IN (:values) RETURNING vector_key',
    ),
    // Other traces may have the same text.
    forgetVectors: listQuery<Uint8Array, unknown, OfSet>(`DELETE FROM vectors
      WHERE set_id = :setId AND vector_key IN (:values) AND NOT EXISTS (
        SELECT 1 FROM features WHERE features.set_id = :setId AND features.vector_key = vectors.vector_key)`),
  }
}
