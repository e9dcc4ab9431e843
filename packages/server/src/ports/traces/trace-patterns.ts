import type { TraceId } from '@spoor/contract/ids'
import type { PatternKind } from '@spoor/contract/schemas/traces/failure-patterns'
import type { TraceFailure } from '../clusters/cluster-traces.ts'
import type { SummaryQuery } from './trace-summaries.ts'

export interface FeatureQuery extends Omit<SummaryQuery, 'by'> {
  readonly failure: TraceFailure
  /** Other failed traces do not count; at least one. Null: all count. */
  readonly failures: readonly TraceId[] | null
  /** Traces must pass these, too. */
  readonly within: readonly Omit<SummaryQuery, 'by'>[]
  /** Features that fewer traces have are left out. */
  readonly least: number
}

/** Something that traces have, and how many have it. */
export interface CountedFeature {
  readonly kind: PatternKind
  readonly name: string
  /** As `value` of the contract. */
  readonly value: string | null
  readonly failed: number
  readonly succeeded: number
  /** Features of exactly the same traces have the same. */
  readonly traces: string
  /** The first PATTERN_EXAMPLES traces of each side, oldest first. */
  readonly examples: Readonly<Record<'failed' | 'succeeded', readonly TraceId[]>>
}

export interface CountedFeatures {
  readonly failed: number
  readonly succeeded: number
  readonly features: readonly CountedFeature[]
  /** No trace and no feature with enough traces was left out. */
  readonly complete: boolean
}

/**
 * Features of the newest passing traces of which it is known whether they failed, or with `failures` of a sample of
 * both sides. Committed traces count.
 */
export interface TracePatternStore {
  countFeatures(query: FeatureQuery): Promise<CountedFeatures>
}
