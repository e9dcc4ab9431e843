import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DiscoveryJob } from '../../../ports/clusters/discovery-job.ts'
import { type DiscoveryJobStore, JOBS_KEPT } from '../../../ports/clusters/discovery-job-store.ts'
import { isOpen, type JobStatus } from '../../../ports/clusters/job-machine.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { changingValues, jobValues, toJob } from './job-row.ts'
import type { PatientWrites } from './patient-writes.ts'

const SQL = {
  insert: 'INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  findOpen: `SELECT * FROM jobs INDEXED BY jobs_open WHERE project_id = ? AND status IN ('queued', 'running')`,
  find: 'SELECT * FROM jobs WHERE id = ? AND project_id = ?',
  list: 'SELECT * FROM jobs INDEXED BY jobs_by_project WHERE project_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
  nextQueued: `SELECT * FROM jobs INDEXED BY jobs_open WHERE status IN ('queued', 'running') AND status = 'queued' ORDER BY id LIMIT 1`,
  running: `SELECT * FROM jobs INDEXED BY jobs_open WHERE status IN ('queued', 'running') AND status = 'running' ORDER BY id`,
  replace: `UPDATE jobs SET status = ?, attempts = ?, created_at = ?, started_at = ?, finished_at = ?, error = ?, result = ?
    WHERE id = ? AND status = ?`,
  prune: `DELETE FROM jobs WHERE project_id = ? AND id <= (SELECT id FROM jobs WHERE project_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
} as const

/** Greater than every id. */
const BEHIND_ALL = 'job_~'

/** Jobs in SQLite. Ids are in the order of time, so they are the queue. */
export class SqliteDiscoveryJobs implements DiscoveryJobStore {
  readonly #sql: { readonly [name in keyof typeof SQL]: StatementSync }
  readonly #writes: PatientWrites
  readonly #onReadError: OnReadError

  constructor(database: DatabaseSync, writes: PatientWrites, onReadError: OnReadError) {
    const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
    this.#sql = Object.fromEntries(entries) as { readonly [name in keyof typeof SQL]: StatementSync }
    this.#writes = writes
    this.#onReadError = onReadError
  }

  add(job: DiscoveryJob): Promise<DiscoveryJob> {
    return this.#writes.run(() => {
      const open = this.#sql.findOpen.get(idToBytes(job.projectId))
      if (open !== undefined) return toJob(open)
      this.#sql.insert.run(...jobValues(job))
      return job
    })
  }

  find(projectId: ProjectId, id: JobId): DiscoveryJob | undefined {
    return this.#one(this.#sql.find, id, idToBytes(projectId))
  }

  list(projectId: ProjectId, before: JobId | null, limit: number): readonly DiscoveryJob[] {
    const behind = before ?? BEHIND_ALL
    return readOrRefuse(() => this.#sql.list.all(idToBytes(projectId), behind, limit), this.#onReadError).map(toJob)
  }

  nextQueued(): DiscoveryJob | undefined {
    return this.#one(this.#sql.nextQueued)
  }

  running(): readonly DiscoveryJob[] {
    return readOrRefuse(() => this.#sql.running.all(), this.#onReadError).map(toJob)
  }

  replace(from: JobStatus, job: DiscoveryJob): Promise<boolean> {
    return this.#writes.run(() => {
      const { changes } = this.#sql.replace.run(job.status, ...changingValues(job), job.id, from)
      const project = idToBytes(job.projectId)
      // The open one is the newest of its project.
      if (changes === 1 && !isOpen(job.status)) this.#sql.prune.run(project, project, JOBS_KEPT)
      return changes === 1
    })
  }

  #one(statement: StatementSync, ...values: (string | Uint8Array)[]): DiscoveryJob | undefined {
    const row = readOrRefuse(() => statement.get(...values), this.#onReadError)
    return row === undefined ? undefined : toJob(row)
  }
}
