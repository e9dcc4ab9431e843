import { CLUSTER_RUNS_KEPT } from '@spoor/contract/limits'
import { sql } from 'kysely'
import type { DiscoveryJob, JobEpoch } from '../../../ports/clusters/discovery-job.ts'
import { isOpen } from '../../../ports/clusters/job-machine.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { ClusterTables, JobRow } from './cluster-tables.ts'
import { fromJob, toJob } from './job-row.ts'

export type JobStatements = ReturnType<typeof jobStatementsOn>

/** In the statement's text, as in the index of open jobs: with bound values the index would not be used. */
const OPEN = [sql.lit('queued'), sql.lit('running')]
const RUNNING = sql.lit('running')

interface Taking extends JobEpoch {
  readonly status: string
  readonly attempts: number
  readonly startedAt: number | null
  readonly found: number
  readonly holder: string
  readonly until: number
}

interface Page {
  readonly setId: Uint8Array
  readonly before: string
  readonly limit: number
}

/** Every statement on jobs but the one that guards a run. */
export function jobStatementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    ...readsOn(database),
    insert: database.statement((queries, row: ReturnType<typeof fromJob>) =>
      queries
        .insertInto('jobs')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    ),
    take: database.statement((queries, taking: Taking) =>
      queries
        .updateTable('jobs')
        .set({
          status: taking.status,
          attempts: taking.attempts,
          started_at: taking.startedAt,
          epoch: taking.epoch,
          holder: taking.holder,
          held_until: taking.until,
        })
        .where('id', '=', taking.id)
        .where('status', '=', sql.lit('queued'))
        .where('epoch', '=', taking.found),
    ),
    renew: database.statement((queries, { id, epoch, until }: JobEpoch & { readonly until: number }) =>
      queries
        .updateTable('jobs')
        .set({ held_until: until })
        .where('id', '=', id)
        .where('epoch', '=', epoch)
        .where('status', '=', RUNNING),
    ),
    finish: database.statement((queries, { id, epoch, ...row }: ReturnType<typeof fromJob>) =>
      queries
        .updateTable('jobs')
        .set({ ...row, held_until: null })
        .where('id', '=', id)
        .where('epoch', '=', epoch)
        .where('status', '=', RUNNING),
    ),
    prune: database.statement((queries, { setId }: { setId: Uint8Array }) =>
      queries
        .deleteFrom('jobs')
        .where('set_id', '=', setId)
        .where('id', '<=', ({ selectFrom }) =>
          selectFrom('jobs as kept')
            .select('kept.id')
            .where('kept.set_id', '=', setId)
            .orderBy('kept.id', 'desc')
            .limit(1)
            .offset(sql.lit(CLUSTER_RUNS_KEPT)),
        ),
    ),
  }
}

function readsOn(database: SqlDatabase<ClusterTables>) {
  return {
    byId: database.statement((queries, { id }: { id: string }) =>
      queries.selectFrom('jobs').selectAll().where('id', '=', id),
    ),
    page: database.statement((queries, { setId, before, limit }: Page) =>
      queries
        .selectFrom('jobs')
        .selectAll()
        .where('set_id', '=', setId)
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit),
    ),
    // In no order: by id, SQLite would walk all finished jobs. There are few, at most one of a project.
    open: database.statement((queries) => queries.selectFrom('jobs').selectAll().where('status', 'in', OPEN)),
    openOf: database.statement((queries, { setId }: { setId: Uint8Array }) =>
      queries.selectFrom('jobs').selectAll().where('set_id', '=', setId).where('status', 'in', OPEN),
    ),
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
