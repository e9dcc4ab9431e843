import type { ProjectId } from '@spoor/contract/ids'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type {
  ClusterSchedule,
  ClusterScheduleStore,
  DueSchedule,
  ScheduleClaim,
} from '../../../ports/clusters/cluster-schedule.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { ClusterTables, ScheduleRow } from './cluster-tables.ts'
import { fromParameters, toParameters } from './job-row.ts'
import { addJob, type JobStatements, jobStatementsOn } from './job-statements.ts'

export class SqlClusterSchedules implements ClusterScheduleStore {
  readonly #database: SqlDatabase<ClusterTables>
  readonly #sql: ReturnType<typeof statementsOn>
  readonly #jobs: JobStatements

  constructor(database: SqlDatabase<ClusterTables>) {
    this.#database = database
    this.#sql = statementsOn(database)
    this.#jobs = jobStatementsOn(database)
  }

  async find(projectId: ProjectId): Promise<ClusterSchedule | undefined> {
    return (await this.#database.read(this.#sql.find({ projectId: idToBytes(projectId) }))).map(toSchedule)[0]
  }

  async put(projectId: ProjectId, schedule: ClusterSchedule): Promise<void> {
    await this.#database.write(() => run(this.#sql.put(fromSchedule(projectId, schedule))))
  }

  async due(now: number): Promise<readonly DueSchedule[]> {
    const rows = await this.#database.read(this.#sql.due({ now }))
    return rows.map((row) => ({ projectId: idFromBytes('proj', row.project_id), schedule: toSchedule(row) }))
  }

  claim({ job, dueAt, nextRunAt }: ScheduleClaim): Promise<boolean> {
    const [sql, jobs] = [this.#sql, this.#jobs]
    return this.#database.write(function* (): Work<boolean> {
      const changed = yield* run(sql.claim({ projectId: idToBytes(job.projectId), dueAt, nextRunAt }))
      if (changed === 0) return false
      yield* addJob(jobs, job)
      return true
    })
  }
}

interface Claim {
  readonly projectId: Uint8Array
  readonly dueAt: number
  readonly nextRunAt: number
}

function statementsOn(database: SqlDatabase<ClusterTables>) {
  return {
    find: database.statement((queries, { projectId }: { projectId: Uint8Array }) =>
      queries.selectFrom('schedules').selectAll().where('project_id', '=', projectId),
    ),
    due: database.statement((queries, { now }: { now: number }) =>
      queries.selectFrom('schedules').selectAll().where('enabled', '=', 1).where('next_run_at', '<=', now),
    ),
    put: database.statement((queries, { project_id, ...settings }: ScheduleRow) =>
      queries
        .insertInto('schedules')
        .values({ project_id, ...settings })
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet(settings)),
    ),
    claim: database.statement((queries, { projectId, dueAt, nextRunAt }: Claim) =>
      queries
        .updateTable('schedules')
        .set({ next_run_at: nextRunAt })
        .where('project_id', '=', projectId)
        .where('next_run_at', '=', dueAt),
    ),
  }
}

function toSchedule(row: ScheduleRow): ClusterSchedule {
  return {
    enabled: row.enabled === 1,
    everyHours: row.every_hours,
    parameters: toParameters(row),
    nextRunAt: row.next_run_at,
  }
}

function fromSchedule(projectId: ProjectId, schedule: ClusterSchedule): ScheduleRow {
  return {
    project_id: idToBytes(projectId),
    enabled: schedule.enabled ? 1 : 0,
    every_hours: schedule.everyHours,
    ...fromParameters(schedule.parameters),
    next_run_at: schedule.nextRunAt,
  }
}
