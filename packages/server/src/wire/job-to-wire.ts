import type { DeletionReceipt, Job } from '@spoor/contract/schemas/deletion'
import type { DeletionJob } from '../ports/traces/deletion-jobs.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'

export function toJob(job: DeletionJob): Job {
  return {
    id: job.id,
    kind: job.kind,
    status: job.status,
    done: job.done,
    total: job.total,
    error: job.error,
    result: toReceipt(job),
    created_at: toWireTime(job.createdAt),
    finished_at: toWireTimeOrNull(job.finishedAt),
  }
}

/** Null unless the job deletes a user, and no read returns any of it. */
export function toReceipt({ id, receipt, createdAt }: Omit<DeletionJob, 'filters'>): DeletionReceipt | null {
  if (receipt === null) return null
  return {
    id,
    traces: receipt.traces,
    steps: receipt.steps,
    metric_events: receipt.metricEvents,
    media: receipt.media,
    requested_at: toWireTime(createdAt),
    gone_from_reads_at: toWireTime(receipt.goneFromReadsAt),
    gone_from_disk_at: toWireTimeOrNull(receipt.goneFromDiskAt),
  }
}
