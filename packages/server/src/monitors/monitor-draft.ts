import type { Aggregation, MeasureFilters, TraceMeasure } from '../ports/monitors/monitor-measures.ts'
import type { Comparison, Monitor, NoDataPolicy } from '../ports/monitors/monitor.ts'

/** A monitor as a client wants it: each field has its type, what they say together is still to be checked. */
export interface MonitorDraft {
  readonly name: string
  readonly enabled: boolean
  /** Null: not given. */
  readonly source: {
    readonly kind: 'metric' | 'traces'
    readonly metric: string | null
    readonly measure: TraceMeasure | null
    readonly option: string | null
  }
  readonly filters: MeasureFilters
  readonly aggregation: Aggregation
  readonly windowMs: number
  readonly comparison: Comparison
  readonly threshold: number
  readonly resolveThreshold: number | null
  readonly minSamples: number
  readonly consecutive: number
  readonly noData: NoDataPolicy
}

/** What a change starts from. */
export function toDraft({ name, enabled, definition }: Monitor): MonitorDraft {
  const { source } = definition
  const { metric, option } = source.kind === 'metric' ? source : { metric: null, option: null }
  const measure = source.kind === 'traces' ? source.measure : null
  return { ...definition, name, enabled, source: { kind: source.kind, metric, measure, option } }
}
