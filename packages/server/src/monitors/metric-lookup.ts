import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'

/**
 * The facts about a metric that a monitor needs. Its name and kind never change, and no option of it is ever removed.
 */
export interface WatchableMetric {
  readonly id: MetricId
  readonly kind: MetricKind
  /** The values of the options of an enum metric; empty for others. */
  readonly options: readonly string[]
}

/** Undefined when the project has no metric of this name. */
export type FindMetric = (projectId: ProjectId, name: string) => Promise<WatchableMetric | undefined>

/** What definitions are checked against. */
export interface DefinitionChecks {
  readonly findMetric: FindMetric
  /** Throws DomainError `validation_failed`, `full_text_disabled` for words that cannot be searched for. */
  readonly checkWords: (text: string) => void
}
