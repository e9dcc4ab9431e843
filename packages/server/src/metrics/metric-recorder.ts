import type { MetricEventId, ProjectId } from '@spoor/contract/ids'
import type { MetricEventRecord, MetricJudgement } from '../ports/journal/metric-event.ts'

/** What became of one judgement. */
export type MetricEventVerdict =
  | { readonly status: 'created'; readonly event: MetricEventRecord }
  /** Recorded before, under the same idempotency key and with the same content. */
  | { readonly status: 'duplicate'; readonly eventId: MetricEventId }
  | {
      readonly status: 'error'
      readonly code: 'unknown_trace' | 'unknown_step' | 'idempotency_conflict'
      readonly detail: string
    }

export interface HashedJudgement extends MetricJudgement {
  /** SHA-256 (hex) of the event as it was sent, when it has an idempotency key; else ''. */
  readonly contentHash: string
}

/** Most judgements in one call of a recorder. */
export const MOST_JUDGEMENTS = 1000

/** Commits judgements. */
export interface MetricRecorder {
  /**
   * One verdict for each, in order, once what is `created` is durable and readable. At most MOST_JUDGEMENTS. A trace of another project is unknown.
   * Throws DomainError (`queue_full`, `disk_full`, `storage_unavailable`, `shutting_down`) when none of them could be recorded: the same call can be made again.
   */
  recordMetricEvents(
    projectId: ProjectId,
    judgements: readonly HashedJudgement[],
  ): Promise<readonly MetricEventVerdict[]>
}
