import type { JobId, ProjectId } from '@spoor/contract/ids'
import { type ClusterSetId, projectOfSet } from '../../../ports/clusters/cluster-set.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { SharedCalls } from '../../../lib/flow/shared-calls.ts'
import type { DiscoveryJob, DiscoveryLane, JobEpoch } from '../../../ports/clusters/discovery-job.ts'
import type { DiscoveryJobStore } from '../../../ports/clusters/discovery-job-store.ts'
import { moveJob } from '../../../ports/clusters/job-machine.ts'
import { all, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import type { ClusterTables, JobRow } from './cluster-tables.ts'
import { toJob } from './job-row.ts'
import { addJob, byAge, finishJob, jobStatementsOn } from './job-statements.ts'
import { setToBytes } from './set-bytes.ts'

/** Greater than every id. */
const BEHIND_ALL = 'job_z'

/** Ids are in the order of creation, so they order the queue. */
export class SqlDiscoveryJobs extends storeOn(jobStatementsOn) implements DiscoveryJobStore {
  readonly #clock: Clock
  /** The runners of both lanes look at the same time. */
  readonly #open: SharedCalls<readonly JobRow[]>

  constructor(database: SqlDatabase<ClusterTables>, clock: Clock) {
    super(database)
    this.#clock = clock
    this.#open = new SharedCalls(() => database.read(this.sql.open({})))
  }

  add(job: DiscoveryJob): Promise<DiscoveryJob> {
    return this.transact((sql) => addJob(sql, job))
  }

  async find(projectId: ProjectId, id: JobId): Promise<DiscoveryJob | undefined> {
    const [job] = (await this.database.read(this.sql.byId({ id }))).map(toJob)
    return job !== undefined && projectOfSet(job.setId) === projectId ? job : undefined
  }

  async list(setId: ClusterSetId, before: JobId | null, limit: number): Promise<readonly DiscoveryJob[]> {
    const page = { setId: setToBytes(setId), before: before ?? BEHIND_ALL, limit }
    return (await this.database.read(this.sql.page(page))).map(toJob)
  }

  async take(lane: DiscoveryLane, holder: string, durationMs: number): Promise<DiscoveryJob | null> {
    const waiting = waitingAmong(await this.#open.next(), lane)
    if (waiting.length === 0) return null
    const now = this.#clock.now()
    const until = now + durationMs
    return this.transact(function* (sql): Work<DiscoveryJob | null> {
      for (const row of waitingAmong(yield* all(sql.open({})), lane)) {
        const job = toJob(row)
        const { id, epoch, attempts } = job
        const taken = {
          status: moveJob(job.status, 'start'),
          attempts: attempts + 1,
          epoch: epoch + 1,
          startedAt: now,
        }
        if ((yield* run(sql.take({ id, ...taken, found: epoch, holder, until }))) === 1) return { ...job, ...taken }
      }
      return null
    })
  }

  async renew({ id, epoch }: JobEpoch, durationMs: number): Promise<boolean> {
    const until = this.#clock.now() + durationMs
    return (await this.run(this.sql.renew({ id, epoch, until }))) === 1
  }

  finish(job: DiscoveryJob): Promise<boolean> {
    return this.transact((sql) => finishJob(sql, job))
  }

  async takeBack(
    lane: DiscoveryLane,
    holder: string,
    durationMs: number,
    move: (job: DiscoveryJob) => DiscoveryJob,
  ): Promise<boolean> {
    const now = this.#clock.now()
    const isAbandoned = (row: JobRow): boolean => {
      if (row.status !== 'running' || row.lane !== lane) return false
      const left = row.holder === holder || row.held_until === null ? 0 : row.held_until - now
      return left <= 0 || left > 2 * durationMs
    }
    const found = await this.#open.next()
    if (!found.some(isAbandoned)) return waitingAmong(found, lane).length > 0
    await this.transact(function* (sql): Work<void> {
      const open = yield* all(sql.open({}))
      for (const row of byAge(open.filter(isAbandoned))) yield* finishJob(sql, move(toJob(row)))
    })
    return true
  }
}

function waitingAmong(open: readonly JobRow[], lane: DiscoveryLane): JobRow[] {
  const waiting = byAge(open.filter((row) => row.status === 'queued' && row.lane === lane))
  return waiting.toSorted((a, b) => a.epoch - b.epoch)
}
