import type { ClusterSetId } from '../../../ports/clusters/cluster-set.ts'
import type {
  ClusterSchedule,
  ClusterScheduleStore,
  DueSchedule,
  ScheduleClaim,
} from '../../../ports/clusters/cluster-schedule.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { ClusterTables, ScheduleRow } from './cluster-tables.ts'
import { fromParameters, toParameters } from './job-row.ts'
import { addJob, jobStatementsOn } from './job-statements.ts'
import { setFromBytes, setToBytes } from './set-bytes.ts'

export class SqlClusterSchedules extends storeOn(statementsOn) implements ClusterScheduleStore {
  async find(setId: ClusterSetId): Promise<ClusterSchedule | undefined> {
    return (await this.database.read(this.sql.find({ setId: setToBytes(setId) }))).map(toSchedule)[0]
  }

  async put(setId: ClusterSetId, schedule: ClusterSchedule): Promise<void> {
    await this.run(this.sql.put(fromSchedule(setId, schedule)))
  }

  async due(now: number): Promise<readonly DueSchedule[]> {
    const rows = await this.database.read(this.sql.due({ now }))
    return rows.map((row) => ({ setId: setFromBytes(row.set_id), schedule: toSchedule(row) }))
  }

  claim({ job, dueAt, nextRunAt }: ScheduleClaim): Promise<boolean> {
    return this.transact(function* (sql): Work<boolean> {
      const changed = yield* run(sql.claim({ setId: setToBytes(job.setId), dueAt, nextRunAt }))
      if (changed === 0) return false
      yield* addJob(sql.jobs, job)
      return true
    })
  }
}

interface Claim {
  readonly setId: Uint8Array
  readonly dueAt: number
  readonly nextRunAt: number
}

function statementsOn(database: SqlDatabase<ClusterTables>) {
  const { query } = sqlTextOn(database)
  return {
    jobs: jobStatementsOn(database),
    find: query<{ setId: Uint8Array }, ScheduleRow>('SELECT * FROM schedules WHERE set_id = :setId'),
    due: query<{ now: number }, ScheduleRow>('SELECT * FROM schedules WHERE enabled = 1 AND next_run_at <= :now'),
    put: database.statement((queries, { set_id, ...settings }: ScheduleRow) =>
      queries
        .insertInto('schedules')
        .values({ set_id, ...settings })
        .onConflict((conflict) => conflict.column('set_id').doUpdateSet(settings)),
    ),
    claim: query<Claim>('UPDATE schedules SET next_run_at = :nextRunAt WHERE set_id = :setId AND next_run_at = :dueAt'),
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

function fromSchedule(setId: ClusterSetId, schedule: ClusterSchedule): ScheduleRow {
  return {
    set_id: setToBytes(setId),
    enabled: schedule.enabled ? 1 : 0,
    every_hours: schedule.everyHours,
    ...fromParameters(schedule.parameters),
    next_run_at: schedule.nextRunAt,
  }
}
