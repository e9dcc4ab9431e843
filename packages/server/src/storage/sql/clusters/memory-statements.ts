import type { Selectable } from 'kysely'
import type { JobEpoch } from '../../../ports/clusters/discovery-job.ts'
import { EARLIER_RUNS } from '../../../ports/clusters/discovery-memory.ts'
import { locking } from '../kit/dialect-sql.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type {
  BasisRow,
  ClusterRow,
  ClusterTables,
  FeatureRow,
  MemberRow,
  OfRun,
  OfSet,
  RunRow,
  TemplateRow,
} from './cluster-tables.ts'
import { changeSizeOn } from './member-statements.ts'

type OfTraces<Column extends keyof FeatureRow> = Pick<FeatureRow, 'trace_id' | Column>

/** Statements by which discoveries read and add data between runs. */
export function memoryStatementsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    ...featuresOn(database),
    ...lastRunOn(database),
    ...addingOn(database),
    template: query<OfSet, Pick<TemplateRow, 'number' | 'runs'>>(
      'SELECT number, runs FROM templates WHERE set_id = :setId',
    ),
    putTemplate: query<TemplateRow>(`INSERT INTO templates (set_id, number, runs) VALUES (:set_id, :number, :runs)
      ON CONFLICT (set_id) DO UPDATE SET number = :number, runs = :runs`),
    basis: query<OfSet, Pick<BasisRow, 'fit' | 'basis'>>('SELECT fit, basis FROM bases WHERE set_id = :setId'),
  }
}

function featuresOn(database: SqlDatabase<ClusterTables>) {
  const { listQuery } = sqlTextOn(database)
  const ofTraces = 'FROM features WHERE set_id = :setId AND trace_id IN (:values)'
  return {
    versions: listQuery<
      Uint8Array,
      OfTraces<'version' | 'embedder' | 'input_path' | 'template'> & { textless: unknown },
      OfSet
    >(`SELECT trace_id, version, embedder, input_path, template, text IS NULL AS textless ${ofTraces}`),
    features: listQuery<Uint8Array, OfTraces<'features'>, OfSet & { embedder: string }>(
      `SELECT trace_id, features ${ofTraces} AND embedder = :embedder`,
    ),
    excerpts: listQuery<Uint8Array, OfTraces<'excerpt'>, OfSet>(`SELECT trace_id, excerpt ${ofTraces}`),
    putFeatures: database.statement((queries, { set_id, trace_id, ...row }: Omit<FeatureRow, 'vector_key'>) =>
      queries
        .insertInto('features')
        .values({ set_id, trace_id, ...row, vector_key: null })
        .onConflict((conflict) => conflict.columns(['set_id', 'trace_id']).doUpdateSet({ ...row, vector_key: null })),
    ),
  }
}

function lastRunOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    lastRun: query<OfSet, Selectable<RunRow>>('SELECT * FROM runs WHERE set_id = :setId ORDER BY run DESC LIMIT 1'),
    sampled: query<OfSet, Pick<RunRow, 'sampled'>>(
      `SELECT sampled FROM runs WHERE set_id = :setId ORDER BY run DESC LIMIT ${EARLIER_RUNS}`,
    ),
    clusters: query<OfRun, ClusterRow>('SELECT * FROM clusters WHERE run = :run ORDER BY place'),
    members: query<OfRun, Pick<MemberRow, 'trace_id' | 'place' | 'x' | 'y'>>(
      'SELECT trace_id, place, x, y FROM members WHERE run = :run AND x IS NOT NULL ORDER BY trace_id',
    ),
  }
}

function addingOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    changeSize: changeSizeOn(database),
    // Locked against others that add to the run: ordinals continue from the last.
    newest: query<OfSet, OfRun>(
      `SELECT run FROM runs WHERE set_id = :setId ORDER BY run DESC LIMIT 1 ${locking(database, 'FOR UPDATE')}`,
    ),
    lastOrdinal: query<OfRun, { ordinal: number | null }>(
      'SELECT max(ordinal) AS ordinal FROM members WHERE run = :run',
    ),
    addMember: query<OfRun & { ordinal: number; traceId: Uint8Array; place: number }>(`INSERT INTO members
        (run, ordinal, trace_id, place, x, y) VALUES (:run, :ordinal, :traceId, :place, NULL, NULL)
      ON CONFLICT (run, trace_id) DO NOTHING`),
    assignThrough: query<OfRun & { through: Uint8Array }>(
      'UPDATE runs SET assigned_through = :through WHERE run = :run AND assigned_through < :through',
    ),
  }
}

/**
 * The first statement of a transaction that writes the run of a job: it returns a row while the job runs under the
 * epoch, none when it is stale. On PostgreSQL it blocks takers of the job until the transaction has ended; on SQLite
 * transactions run one after the other anyway.
 */
export function heldJobOn(database: SqlDatabase<ClusterTables>) {
  return sqlTextOn(database).query<JobEpoch>(`SELECT id FROM jobs WHERE id = :id AND epoch = :epoch
    AND status = 'running' ${locking(database, 'FOR SHARE')}`)
}
