import type { ProjectId } from '@spoor/contract/ids'
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { ClusterSchedule, ClusterScheduleStore } from '../../../ports/clusters/cluster-schedule.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { toParameters } from './job-row.ts'
import type { PatientWrites } from './patient-writes.ts'

export class SqliteClusterSchedules implements ClusterScheduleStore {
  readonly #find: StatementSync
  readonly #put: StatementSync
  readonly #due: StatementSync
  readonly #writes: PatientWrites
  readonly #onReadError: OnReadError

  constructor(database: DatabaseSync, writes: PatientWrites, onReadError: OnReadError) {
    this.#find = database.prepare('SELECT * FROM schedules WHERE project_id = ?')
    this.#put = database.prepare('INSERT OR REPLACE INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#due = database.prepare('SELECT * FROM schedules WHERE enabled = 1 AND next_run_at <= ?')
    this.#writes = writes
    this.#onReadError = onReadError
  }

  find(projectId: ProjectId): ClusterSchedule | undefined {
    const row = readOrRefuse(() => this.#find.get(idToBytes(projectId)), this.#onReadError)
    return row === undefined ? undefined : toSchedule(row)
  }

  async put(projectId: ProjectId, { enabled, everyHours, parameters, nextRunAt }: ClusterSchedule): Promise<void> {
    const { windowHours, kMin, kMax } = parameters
    const values = [idToBytes(projectId), enabled ? 1 : 0, everyHours, windowHours, kMin, kMax, nextRunAt]
    await this.#writes.run(() => this.#put.run(...values))
  }

  due(now: number): readonly { readonly projectId: ProjectId; readonly schedule: ClusterSchedule }[] {
    return readOrRefuse(() => this.#due.all(now), this.#onReadError).map((row) => ({
      projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
      schedule: toSchedule(row),
    }))
  }
}

function toSchedule(row: Readonly<Record<string, SQLOutputValue>>): ClusterSchedule {
  return {
    enabled: row['enabled'] === 1,
    everyHours: row['every_hours'] as number,
    parameters: toParameters(row),
    nextRunAt: row['next_run_at'] as number | null,
  }
}
