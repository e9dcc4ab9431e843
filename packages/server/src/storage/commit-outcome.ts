import type { DomainError } from '../lib/domain-error.ts'
import type { CommitRecord } from '../ports/journal/journal.ts'
import type { CommitPlan } from '../ports/log/log.ts'
import { storeUnavailable } from './store-failure.ts'

/** The plan without its rows of telemetry. */
export function recordOf({ traces: _, steps: __, metricEvents: ___, ...record }: CommitPlan): CommitRecord {
  return record
}

/** The error of a commit that certainly left nothing. */
export function nothingStored(cause?: unknown): DomainError {
  return storeUnavailable(cause, 'The store could not write; nothing of this request was stored.')
}
