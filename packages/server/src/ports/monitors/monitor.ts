import type { MetricId, MonitorId, ProjectId } from '@spoor/contract/ids'
import type { Aggregation, MeasureFilters, MeasureSource, MonitorField } from './monitor-measures.ts'

export type MonitorState = 'normal' | 'fired'
export type Comparison = 'gt' | 'gte' | 'lt' | 'lte'
type NoDataPolicy = 'hold' | 'ok' | 'fire'

export type MonitorSource =
  | {
      readonly kind: 'metric'
      readonly metricId: MetricId
      /** Its name, which never changes. */
      readonly metric: string
      /** Of `share`. */
      readonly option: string | null
    }
  | Exclude<MeasureSource, { kind: 'metric' }>

/** The evaluated query. Checked: see `check-definition.ts`. */
export interface MonitorDefinition {
  readonly source: MonitorSource
  readonly filters: MeasureFilters
  /** Each value of this field has a standing of its own; null: one for all rows. */
  readonly forEach: MonitorField | null
  readonly aggregation: Aggregation
  readonly windowMs: number
  readonly comparison: Comparison
  readonly threshold: number
  /** Null: `threshold` itself. */
  readonly resolveThreshold: number | null
  readonly minSamples: number
  readonly consecutive: number
  readonly noData: NoDataPolicy
}

/** The state of a monitor. Times are milliseconds since 1970 UTC. */
export interface MonitorStanding {
  readonly state: MonitorState
  readonly stateSince: number
  /** Evaluations in a row that breached while it was normal. */
  readonly breaches: number
  /** Of the last evaluation of this definition. */
  readonly lastValue: number | null
  readonly lastSamples: number | null
  readonly lastEvaluatedAt: number | null
}

export interface Monitor {
  readonly projectId: ProjectId
  readonly id: MonitorId
  readonly name: string
  readonly enabled: boolean
  readonly definition: MonitorDefinition
  /** Counts changes, from 1. */
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** With `forEach` it has fired while one of the groups has. */
  readonly standing: MonitorStanding
  /** With `forEach`: those that rows of the last window have, and those that must be evaluated without rows. */
  readonly groups: Groups
}

export type Groups = ReadonlyMap<string, MonitorStanding>
