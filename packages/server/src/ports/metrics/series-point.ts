import type { PercentileOf } from '@spoor/contract/aggregations'

/** One bucket of one group. */
export interface PointPlace {
  /** When the bucket begins, milliseconds since 1970 UTC. */
  readonly at: number
  /** Null for rows without one, and without `groupBy`. A metadata value has the form of the filter `meta_value`. */
  readonly group: string | null
  /** All groups that were left out, as one; `group` is null. */
  readonly other?: true
}

export interface SeriesPoint<Aggregates> extends PointPlace {
  /** Number of rows; for `duration_ms`, of traces whose duration is known. */
  readonly count: number
  readonly aggregates: Aggregates
}

export interface Series<Aggregates> {
  readonly points: readonly SeriesPoint<Aggregates>[]
  /** How many groups are not among the 100 largest. They are returned as one, `other`. */
  readonly groupsLeftOut: number
}

/** Percentiles are exact up to 8,192 rows, and computed from a sample of that size beyond. */
export type Distribution<Of extends 'metrics' | 'traces'> = Readonly<
  Record<'avg' | 'min' | 'max' | PercentileOf<Of>, number>
>
