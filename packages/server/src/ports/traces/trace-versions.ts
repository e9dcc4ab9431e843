import type { TraceId } from '@spoor/contract/ids'
import type { TraceFailure } from '../clusters/cluster-traces.ts'
import type { SummaryQuery } from './trace-summaries.ts'

export interface VersionQuery extends Omit<SummaryQuery, 'by'> {
  readonly failure: TraceFailure
  /** The metadata key whose value is the version. */
  readonly versionKey: string
  readonly limit: number
}

export interface JudgedRun {
  readonly id: TraceId
  readonly failed: boolean
}

export interface CountedVersion {
  /** The value in the form of filters. */
  readonly version: string
  readonly failed: number
  readonly runs: number
  /** When its first and its latest run were created, milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
  /** Its first VERSION_TRACES runs, in their order. */
  readonly first: readonly JudgedRun[]
}

/** Versions of the passing traces of which it is known whether they failed. Committed traces count. */
export interface TraceVersionStore {
  /** The newest first, by their first runs. */
  countVersions(query: VersionQuery): Promise<readonly CountedVersion[]>
}
