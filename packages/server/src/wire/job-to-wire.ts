import type { Job } from '@spoor/contract/schemas/deletion'
import type { DeletionJob } from '../ports/traces/deletion-jobs.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'

export function toJob({ id, kind, status, done, total, error, createdAt, finishedAt }: DeletionJob): Job {
  return {
    id,
    kind,
    status,
    done,
    total,
    error,
    created_at: toWireTime(createdAt),
    finished_at: toWireTimeOrNull(finishedAt),
  }
}
