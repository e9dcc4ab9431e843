import type { JobId } from '@spoor/contract/ids'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { DiscoveryJob, DiscoveryParameters, DiscoveryResult } from '../../../ports/clusters/discovery-job.ts'
import type { JobStatus } from '../../../ports/clusters/job-machine.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

export function toJob(row: Row): DiscoveryJob {
  const result = row['result'] as string | null
  return {
    id: row['id'] as JobId,
    projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
    parameters: toParameters(row),
    status: row['status'] as JobStatus,
    attempts: row['attempts'] as number,
    createdAt: row['created_at'] as number,
    startedAt: row['started_at'] as number | null,
    finishedAt: row['finished_at'] as number | null,
    error: row['error'] as string | null,
    result: result === null ? null : (JSON.parse(result) as DiscoveryResult),
  }
}

/** In the order of the columns in the migration. */
export function jobValues(job: DiscoveryJob): SQLInputValue[] {
  const { windowHours, kMin, kMax } = job.parameters
  return [job.id, idToBytes(job.projectId), job.status, windowHours, kMin, kMax, ...changingValues(job)]
}

/** Those behind the parameters. */
export function changingValues({ attempts, createdAt, startedAt, finishedAt, error, result }: DiscoveryJob) {
  return [attempts, createdAt, startedAt, finishedAt, error, result === null ? null : JSON.stringify(result)]
}

export function toParameters(row: Row): DiscoveryParameters {
  return {
    windowHours: row['window_hours'] as number,
    kMin: row['k_min'] as number,
    kMax: row['k_max'] as number,
  }
}
