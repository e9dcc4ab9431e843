import { CLUSTER_RUNS_KEPT } from '@spoor/contract/limits'
import { sql } from 'kysely'
import type { DiscoveryJob, JobEpoch } from '../../../ports/clusters/discovery-job.ts'
import { isOpen } from '../../../ports/clusters/job-machine.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { ClusterTables, JobRow, OfSet } from './cluster-tables.ts'
import { fromJob, toJob } from './job-row.ts'

export type JobStatements = ReturnType<typeof jobStatementsOn>

/** In the statement's text, as in the index of open jobs: with bound values the index would not be used. */
const OPEN = `('queued', 'running')`

interface Taking extends JobEpoch {
  readonly status: string
  readonly attempts: number
  readonly startedAt: number | null
  readonly found: number
  readonly holder: string
  readonly until: number
}

/** Every statement on jobs but the one that guards a run. */
export function jobStatementsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    byId: query<{ id: string }, JobRow>('SELECT * FROM jobs WHERE id = :id'),
    page: query<OfSet & { before: string; limit: number }, JobRow>(
      'SELECT * FROM jobs WHERE set_id = :setId AND id < :before ORDER BY id DESC LIMIT :limit',
    ),
    // In no order: by id, SQLite would walk all finished jobs. There are few, at most one of a project.
    open: query<object, JobRow>(`SELECT * FROM jobs WHERE status IN ${OPEN}`),
    openOf: query<OfSet, JobRow>(`SELECT * FROM jobs WHERE set_id = :setId AND status IN ${OPEN}`),
    insert: database.statement((queries, row: ReturnType<typeof fromJob>) =>
      queries
        .insertInto('jobs')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    ),
    take: query<Taking>(`UPDATE jobs SET status = :status, attempts = :attempts, started_at = :startedAt,
        epoch = :epoch, holder = :holder, held_until = :until
      WHERE id = :id AND status = 'queued' AND epoch = :found`),
    renew: query<JobEpoch & { readonly until: number }>(
      `UPDATE jobs SET held_until = :until WHERE id = :id AND epoch = :epoch AND status = 'running'`,
    ),
    finish: database.statement((queries, { id, epoch, ...row }: ReturnType<typeof fromJob>) =>
      queries
        .updateTable('jobs')
        .set({ ...row, held_until: null })
        .where('id', '=', id)
        .where('epoch', '=', epoch)
        .where('status', '=', sql.lit('running')),
    ),
    prune: query<OfSet>(`DELETE FROM jobs WHERE set_id = :setId AND id <= (SELECT kept.id FROM jobs AS kept
      WHERE kept.set_id = :setId ORDER BY kept.id DESC LIMIT 1 OFFSET ${CLUSTER_RUNS_KEPT})`),
  }
}

/** Adds a job unless its project has an open one; returns the open job of the project. */
export function* addJob(statements: JobStatements, job: DiscoveryJob): Work<DiscoveryJob> {
  const row = fromJob(job)
  if ((yield* run(statements.insert(row))) === 1) return job
  const open = yield* first(statements.openOf({ setId: row.set_id }))
  // The other job has ended since, or the id is taken: a bug.
  if (open === undefined) throw new Error(`the job ${job.id} could not be added`)
  return toJob(open)
}

/** Returns false, and changes nothing, when the job does not run under its epoch any more. */
export function* finishJob(statements: JobStatements, job: DiscoveryJob): Work<boolean> {
  const row = fromJob(job)
  if ((yield* run(statements.finish(row))) === 0) return false
  // An open job is the newest of its project.
  if (!isOpen(job.status)) yield* run(statements.prune({ setId: row.set_id }))
  return true
}

/** Oldest first. */
export function byAge(rows: readonly JobRow[]): JobRow[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
