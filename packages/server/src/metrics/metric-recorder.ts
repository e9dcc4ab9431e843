import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { MetricEventRecord, MetricEventVerdict, MetricScore } from '../ports/journal/metric-event.ts'

export interface HashedScore extends MetricScore {
  /** SHA-256 (hex) of the event as sent, if it has an idempotency key; else ''. */
  readonly contentHash: string
}

/** Maximum number of events in one call of a recorder. */
export const MOST_SCORES = 1000

export interface MetricRecorder {
  /**
   * One result for each, in order, once the `created` ones are durable and readable. At most MOST_SCORES. A trace
   * of another project is unknown. Throws DomainError (`queue_full`, `disk_full`, `storage_unavailable`,
   * `shutting_down`) when none of them could be recorded: the same call can be repeated.
   */
  recordMetricEvents(
    projectId: ProjectId,
    scores: readonly HashedScore[],
    createdBy?: KeyId,
  ): Promise<readonly MetricEventVerdict[]>
  /** Resolves when no read returns the event any more. Throws as above. */
  removeMetricEvent(event: MetricEventRecord): Promise<void>
}
