import type { ProjectId } from '@spoor/contract/ids'
import type { MetricEventVerdict, MetricJudgement } from '../ports/journal/metric-event.ts'

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
