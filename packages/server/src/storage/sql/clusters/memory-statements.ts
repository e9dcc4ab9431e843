import { sql } from 'kysely'
import type { JobEpoch } from '../../../ports/clusters/discovery-job.ts'
import { EARLIER_RUNS } from '../../../ports/clusters/discovery-memory.ts'
import { listStatement } from '../kit/list-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { ClusterTables, FeatureRow, TemplateRow } from './cluster-tables.ts'
import { changeSizeOn } from './member-statements.ts'

interface OfProject {
  readonly setId: Uint8Array
}

interface OfRun {
  readonly run: number
}

/** Statements by which discoveries read and add data between runs. */
export function memoryStatementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    ...featuresOn(database),
    ...lastRunOn(database),
    ...addingOn(database),
    template: database.statement((queries, { setId }: OfProject) =>
      queries.selectFrom('templates').select(['number', 'runs']).where('set_id', '=', setId),
    ),
    putTemplate: database.statement((queries, row: TemplateRow) =>
      queries
        .insertInto('templates')
        .values(row)
        .onConflict((conflict) => conflict.column('set_id').doUpdateSet({ number: row.number, runs: row.runs })),
    ),
    basis: database.statement((queries, { setId }: OfProject) =>
      queries.selectFrom('bases').select(['fit', 'basis']).where('set_id', '=', setId),
    ),
  }
}

function featuresOn(database: SqlDatabase<ClusterTables>) {
  return {
    versions: listStatement(database, (queries, traceIds: readonly Uint8Array[], { setId }: OfProject) =>
      queries
        .selectFrom('features')
        .select(({ eb }) => [
          'trace_id',
          'version',
          'embedder',
          'input_path',
          'template',
          eb('text', 'is', null).as('textless'),
        ])
        .where('set_id', '=', setId)
        .where('trace_id', 'in', traceIds),
    ),
    features: listStatement(
      database,
      (queries, traceIds: readonly Uint8Array[], { setId, embedder }: OfProject & { readonly embedder: string }) =>
        queries
          .selectFrom('features')
          .select(['trace_id', 'features'])
          .where('set_id', '=', setId)
          .where('embedder', '=', embedder)
          .where('trace_id', 'in', traceIds),
    ),
    excerpts: listStatement(database, (queries, traceIds: readonly Uint8Array[], { setId }: OfProject) =>
      queries
        .selectFrom('features')
        .select(['trace_id', 'excerpt'])
        .where('set_id', '=', setId)
        .where('trace_id', 'in', traceIds),
    ),
    putFeatures: database.statement((queries, { set_id, trace_id, ...row }: Omit<FeatureRow, 'vector_key'>) =>
      queries
        .insertInto('features')
        .values({ set_id, trace_id, ...row, vector_key: null })
        .onConflict((conflict) => conflict.columns(['set_id', 'trace_id']).doUpdateSet({ ...row, vector_key: null })),
    ),
  }
}

function lastRunOn(database: SqlDatabase<ClusterTables>) {
  return {
    lastRun: database.statement((queries, { setId }: OfProject) =>
      queries.selectFrom('runs').selectAll().where('set_id', '=', setId).orderBy('run', 'desc').limit(sql.lit(1)),
    ),
    sampled: database.statement((queries, { setId }: OfProject) =>
      queries
        .selectFrom('runs')
        .select('sampled')
        .where('set_id', '=', setId)
        .orderBy('run', 'desc')
        .limit(sql.lit(EARLIER_RUNS)),
    ),
    clusters: database.statement((queries, { run }: OfRun) =>
      queries.selectFrom('clusters').selectAll().where('run', '=', run).orderBy('place'),
    ),
    members: database.statement((queries, { run }: OfRun) =>
      queries
        .selectFrom('members')
        .select(['trace_id', 'place', 'x', 'y'])
        .where('run', '=', run)
        .where('x', 'is not', null)
        .orderBy('trace_id'),
    ),
  }
}

function addingOn(database: SqlDatabase<ClusterTables>) {
  return {
    changeSize: changeSizeOn(database),
    // Locked against others that add to the run: ordinals continue from the last.
    newest: database.statement((queries, { setId }: OfProject) =>
      queries
        .selectFrom('runs')
        .select('run')
        .where('set_id', '=', setId)
        .orderBy('run', 'desc')
        .limit(sql.lit(1))
        .$if(database.dialect === 'postgresql', (query) => query.forUpdate()),
    ),
    lastOrdinal: database.statement((queries, { run }: OfRun) =>
      queries
        .selectFrom('members')
        .select(({ fn }) => fn.max('ordinal').as('ordinal'))
        .where('run', '=', run),
    ),
    addMember: database.statement(
      (queries, member: OfRun & { readonly ordinal: number; readonly traceId: Uint8Array; readonly place: number }) =>
        queries
          .insertInto('members')
          .values({
            run: member.run,
            ordinal: member.ordinal,
            trace_id: member.traceId,
            place: member.place,
            x: null,
            y: null,
          })
          .onConflict((conflict) => conflict.columns(['run', 'trace_id']).doNothing()),
    ),
    assignThrough: database.statement((queries, { run, through }: OfRun & { readonly through: Uint8Array }) =>
      queries
        .updateTable('runs')
        .set({ assigned_through: through })
        .where('run', '=', run)
        .where('assigned_through', '<', through),
    ),
  }
}

/**
 * The first statement of a transaction that writes the run of a job: it returns a row while the job runs under the
 * epoch, none when it is stale. On PostgreSQL it blocks takers of the job until the transaction has ended; on SQLite
 * transactions run one after the other anyway.
 */
export function heldJobOn(database: SqlDatabase<ClusterTables>) {
  return database.statement((queries, { id, epoch }: JobEpoch) =>
    queries
      .selectFrom('jobs')
      .select('id')
      .where('id', '=', id)
      .where('epoch', '=', epoch)
      .where('status', '=', sql.lit('running'))
      .$if(database.dialect === 'postgresql', (query) => query.forShare()),
  )
}
