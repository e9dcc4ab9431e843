import type { DomainError } from '../../lib/domain-error.ts'
import type { EmbeddedJournal } from './embedded-journal.ts'
import { EmbeddedLog, type EmbeddedLogDependencies, type LoggedRows } from './embedded-log.ts'
import type { KeyLookUps } from './known-keys.ts'

export interface LogParts extends Partial<EmbeddedLogDependencies> {
  readonly rows: LoggedRows
  readonly journal: EmbeddedLogDependencies['journal'] &
    Pick<EmbeddedJournal, 'findTraceKey' | 'findStepKey' | 'findMetricEventKey'>
  readonly media?: Pick<KeyLookUps, 'hasMedia' | 'attachmentsOf'>
  readonly block?: () => DomainError | null
}

/** For tests: the log on these parts, which waits for nothing between two tries at a repair. */
export function logOn({ rows, journal, media, block, ...others }: LogParts): EmbeddedLog {
  return new EmbeddedLog({
    rows,
    journal,
    lookUps: {
      traceKey: (projectId, key) => journal.findTraceKey(projectId, key),
      stepKey: (traceId, key) => journal.findStepKey(traceId, key),
      metricEventKey: (traceId, key) => journal.findMetricEventKey(traceId, key),
      ...(media ?? { hasMedia: () => false, attachmentsOf: () => 0 }),
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
