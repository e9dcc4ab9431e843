import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { JobKind, JobStatus } from '@spoor/contract/schemas/deletion'

/** What was deleted with traces. */
interface DeletedCounts {
  readonly steps: number
  readonly metricEvents: number
  /** Attachments. */
  readonly media: number
}

/** A trace that a job deletes. */
export interface CountedTrace extends DeletedCounts {
  readonly traceId: TraceId
}

/** What a deletion of a user has removed. Times are milliseconds since 1970 UTC. */
export interface UserReceipt extends DeletedCounts {
  readonly traces: number
  readonly goneFromReadsAt: number
  /** Null before it is known. */
  readonly goneFromDiskAt: number | null
}

/** A deletion of all traces that match. */
export interface DeletionJob {
  readonly id: JobId
  readonly projectId: ProjectId
  readonly kind: JobKind
  /** The filters, as JSON text of the feature that created it. */
  readonly filters: string
  readonly status: JobStatus
  readonly done: number
  readonly total: number
  readonly error: string | null
  /** Of a deletion of a user, once no read returns any of it; else null. */
  readonly receipt: UserReceipt | null
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** A step of a job: traces deleted, and how it goes on. */
export interface DeletionProgress {
  /** Added to `done`. */
  readonly deleted: number
  readonly status: JobStatus
  readonly error: string | null
  /** Replaces that of the job; absent: it stays. */
  readonly receipt?: UserReceipt | null
  readonly at: number
}

/**
 * Jobs of deletions. Writes are durable when they resolve. Methods reject with DomainError `storage_unavailable`, and
 * writes with `disk_full` too: nothing is written then.
 */
export interface DeletionJobStore {
  add(job: DeletionJob): Promise<void>
  find(projectId: ProjectId, id: JobId): Promise<DeletionJob | undefined>
  /**
   * The job that is queued or running whose id is next after `after`; the first of all if there is none behind. So
   * callers that pass the last one take all in turns.
   */
  nextOpen(after: JobId | null): Promise<DeletionJob | undefined>
  /** Whether the project has one of this kind that is queued or running. */
  hasOpen(projectId: ProjectId, kind: JobKind): Promise<boolean>
  /**
   * Records a step of a job that is queued or running. Returns false, and counts the deleted traces all the same, if it
   * was cancelled meanwhile.
   */
  advance(id: JobId, progress: DeletionProgress): Promise<boolean>
  /**
   * Stores traces of the job, which are about to be deleted, with what they hold. New numbers of a trace replace those
   * before, so a step that is repeated counts nothing twice.
   */
  count(id: JobId, traces: readonly CountedTrace[]): Promise<void>
  /** Traces that were counted, by id, those after `after`, at most `limit`. None of a job that has ended. */
  counted(id: JobId, after: TraceId | null, limit: number): Promise<readonly CountedTrace[]>
  /** Removes at most `limit` jobs that ended before `endedBy`. */
  prune(endedBy: number, limit: number): Promise<void>
}
