import type { JobId } from '@spoor/contract/ids'
import type {
  DiscoveryJob,
  DiscoveryLane,
  DiscoveryParameters,
  DiscoveryResult,
} from '../../../ports/clusters/discovery-job.ts'
import type { JobStatus } from '../../../ports/clusters/job-machine.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { JobRow, ParametersRow } from './cluster-tables.ts'
import { setFromBytes, setToBytes } from './set-bytes.ts'

export function toJob(row: JobRow): DiscoveryJob {
  return {
    id: row.id as JobId,
    setId: setFromBytes(row.set_id),
    parameters: toParameters(row),
    lane: row.lane as DiscoveryLane,
    status: row.status as JobStatus,
    attempts: row.attempts,
    epoch: row.epoch,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: row.error,
    result: row.result === null ? null : (JSON.parse(row.result) as DiscoveryResult),
  }
}

/** Without its lease, which begins when it is taken. */
export function fromJob({ setId, parameters, result, ...job }: DiscoveryJob): Omit<JobRow, 'holder' | 'held_until'> {
  return {
    ...snakeKeys(job),
    set_id: setToBytes(setId),
    ...fromParameters(parameters),
    result: result === null ? null : JSON.stringify(result),
  }
}

export function toParameters(row: ParametersRow): DiscoveryParameters {
  return {
    windowHours: row.window_hours,
    kMin: row.k_min,
    kMax: row.k_max,
    onlyComplete: row.only_complete === 1,
    failureBy: row.failure_by,
  }
}

export function fromParameters(parameters: DiscoveryParameters): ParametersRow {
  return { ...snakeKeys(parameters), only_complete: parameters.onlyComplete ? 1 : 0 }
}
