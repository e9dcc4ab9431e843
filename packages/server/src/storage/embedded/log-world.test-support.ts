import type { DomainError } from '../../lib/domain-error.ts'
import type { EmbeddedJournal } from './embedded-journal.ts'
import { EmbeddedLog, type EmbeddedLogDependencies, type RowLog } from './embedded-log.ts'

export interface LogParts extends Partial<EmbeddedLogDependencies> {
  readonly rows: RowLog
  readonly journal: EmbeddedLogDependencies['journal'] &
    Pick<EmbeddedJournal, 'findTraceKey' | 'findStepKey' | 'findMetricEventKey' | 'hasMedia' | 'attachmentsOf'>
  readonly block?: () => DomainError | null
}

/** For tests: the log on these parts, which waits for nothing between two tries at a repair. */
export function logOn({ rows, journal, block, ...others }: LogParts): EmbeddedLog {
  return new EmbeddedLog({
    rows,
    journal,
    lookUps: {
      traceKey: (projectId, key) => journal.findTraceKey(projectId, key),
      stepKey: (traceId, key) => journal.findStepKey(traceId, key),
      metricEventKey: (traceId, key) => journal.findMetricEventKey(traceId, key),
      hasMedia: (projectId, sha256) => journal.hasMedia(projectId, sha256),
      attachmentsOf: (traceId) => journal.attachmentsOf(traceId),
    },
    keepSuperseded: () => false,
    diskRefusal: block ?? (() => null),
    onError: () => undefined,
    onFailed: () => undefined,
    onRepaired: () => undefined,
    pause: async () => undefined,
    ...others,
  })
}
