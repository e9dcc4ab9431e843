import { sql } from 'kysely'
import { NO_LABEL } from '../../../ports/clusters/cluster.ts'
import { listStatement } from '../kit/list-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { ClusterLabelRow, ClusterTables } from './cluster-tables.ts'
import { memberStatementsOn } from './member-statements.ts'
import { RUN_COLUMNS } from './run-row.ts'

interface RunsPage {
  readonly setId: Uint8Array
  readonly before: number
  readonly limit: number
}

interface KeptPage {
  readonly setId: Uint8Array
  readonly traceId: Uint8Array
  readonly limit: number
}

interface OfProject {
  readonly setId: Uint8Array
}

interface OfRun {
  readonly run: number
}

/** Every statement of SqlClusterStore. */
export function clusterStatementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    ...memberStatementsOn(database),
    ...clustersOn(database),
    ...removalsOn(database),
    ...labelsOn(database),
    currentRun: database.statement((queries, { setId }: { setId: Uint8Array }) =>
      queries
        .selectFrom('runs')
        .select(RUN_COLUMNS)
        .where('set_id', '=', setId)
        .orderBy('run', 'desc')
        .limit(sql.lit(1)),
    ),
    runById: database.statement((queries, { id }: { id: string }) =>
      queries.selectFrom('runs').select(RUN_COLUMNS).where('id', '=', id),
    ),
    runs: database.statement((queries, { setId, before, limit }: RunsPage) =>
      queries
        .selectFrom('runs')
        .select(RUN_COLUMNS)
        .where('set_id', '=', setId)
        .where('run', '<', before)
        .orderBy('run', 'desc')
        .limit(limit),
    ),
    // `told` is in the statement's text, as in the index.
    pending: database.statement((queries, { limit }: { limit: number }) =>
      queries
        .selectFrom('runs')
        .select([...RUN_COLUMNS, 'news'])
        .where('told', '=', sql.lit(0))
        .orderBy('run')
        .limit(limit),
    ),
    markEmitted: database.statement((queries, { id }: { id: string }) =>
      queries.updateTable('runs').set({ told: 1 }).where('id', '=', id),
    ),
  }
}

function clustersOn(database: SqlDatabase<ClusterTables>) {
  return {
    clusters: database.statement((queries, { run }: OfRun) =>
      queries.selectFrom('clusters').selectAll().where('run', '=', run).orderBy('members', 'desc').orderBy('place'),
    ),
    cluster: database.statement((queries, { run, id }: OfRun & { readonly id: string }) =>
      queries.selectFrom('clusters').selectAll().where('run', '=', run).where('id', '=', id),
    ),
    found: listStatement(database, (queries, runs: readonly number[], _none: object) =>
      queries
        .selectFrom('clusters')
        .select(['run', 'place', 'id', 'label', 'size'])
        .where('run', 'in', runs)
        .orderBy('run')
        .orderBy('place'),
    ),
    centroids: database.statement((queries, { run }: OfRun) =>
      queries.selectFrom('runs').select('centroids').where('run', '=', run),
    ),
    ids: database.statement((queries, { run }: OfRun) =>
      queries.selectFrom('clusters').select(['place', 'id']).where('run', '=', run),
    ),
  }
}

function labelsOn(database: SqlDatabase<ClusterTables>) {
  return {
    labels: database.statement((queries, { setId }: { readonly setId: Uint8Array }) =>
      queries.selectFrom('cluster_labels').select(['cluster_id', 'label']).where('set_id', '=', setId),
    ),
    putLabel: database.statement((queries, { set_id, cluster_id, label }: ClusterLabelRow) =>
      queries
        .insertInto('cluster_labels')
        .values({ set_id, cluster_id, label })
        .onConflict((conflict) => conflict.columns(['set_id', 'cluster_id']).doUpdateSet({ label })),
    ),
    dropLabel: database.statement((queries, { set_id, cluster_id }: Omit<ClusterLabelRow, 'label'>) =>
      queries.deleteFrom('cluster_labels').where('set_id', '=', set_id).where('cluster_id', '=', cluster_id),
    ),
  }
}

function removalsOn(database: SqlDatabase<ClusterTables>) {
  return {
    /** Neither while a discovery runs, which may have read them, nor before their events are journaled. */
    usesTexts: database.statement((queries, { setId }: OfProject) =>
      queries
        .selectFrom('jobs')
        .select('id')
        .where('set_id', '=', setId)
        .where('status', '=', sql.lit('running'))
        .unionAll(({ selectFrom }) =>
          selectFrom('runs').select('id').where('set_id', '=', setId).where('told', '=', sql.lit(0)),
        ),
    ),
    clearClusters: database.statement((queries, { setId }: OfProject) =>
      queries
        .updateTable('clusters')
        .set({ label: NO_LABEL, description: '', keywords: '[]', named_by: null })
        .where('run', 'in', ({ selectFrom }) => selectFrom('runs').select('runs.run').where('set_id', '=', setId)),
    ),
    clearNews: database.statement((queries, { setId }: OfProject) =>
      queries.updateTable('runs').set({ news: '[]' }).where('set_id', '=', setId),
    ),
    keptTraces: database.statement((queries, { setId, traceId, limit }: KeptPage) =>
      queries
        .selectFrom('features')
        .select(['set_id', 'trace_id'])
        .where(({ eb, refTuple, tuple }) => eb(refTuple('set_id', 'trace_id'), '>', tuple(setId, traceId)))
        .orderBy('set_id')
        .orderBy('trace_id')
        .limit(limit),
    ),
    forgetFeatures: listStatement(
      database,
      (queries, traceIds: readonly Uint8Array[], { setId }: { readonly setId: Uint8Array }) =>
        queries
          .deleteFrom('features')
          .where('set_id', '=', setId)
          .where('trace_id', 'in', traceIds)
          .returning('vector_key'),
    ),
    // Other traces may have the same text.
    forgetVectors: listStatement(
      database,
      (queries, keys: readonly Uint8Array[], { setId }: { readonly setId: Uint8Array }) =>
        queries
          .deleteFrom('vectors')
          .where('set_id', '=', setId)
          .where('vector_key', 'in', keys)
          .where(({ exists, not, selectFrom }) =>
            not(
              exists(
                selectFrom('features')
                  .select(sql.lit(1).as('one'))
                  .where('features.set_id', '=', setId)
                  .whereRef('features.vector_key', '=', 'vectors.vector_key'),
              ),
            ),
          ),
    ),
  }
}
