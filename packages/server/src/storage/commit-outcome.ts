import { DomainError } from '../lib/domain-error.ts'
import type { CommitRecord } from '../ports/journal/journal.ts'
import type { CommitPlan } from '../ports/log/log.ts'

/** The plan without its rows of telemetry. */
export function recordOf({ traces: _, steps: __, metricEvents: ___, ...record }: CommitPlan): CommitRecord {
  return record
}

/** The error of a commit that certainly left nothing. */
export function nothingStored(cause?: unknown): DomainError {
  return new DomainError('storage_unavailable', 'The store could not write; nothing of this request was stored.', {
    retryAfterSeconds: 2,
    cause,
  })
}
