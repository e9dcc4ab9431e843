import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { ModelRates } from '../prices/price.ts'
import type { TraceRecord } from './trace-record.ts'
import type { SummaryQuery } from './trace-summaries.ts'

/** Where a stretch of the traces of a project begins, in the order of their creation. */
export interface TraceStretch extends Omit<SummaryQuery, 'by'> {
  readonly order: 'asc' | 'desc'
  /** Strictly after this one; null for the start. */
  readonly after: TraceId | null
  /** The stretch has about so many traces, whether they pass or not. */
  readonly rows: number
}

export interface FoundStretch {
  /** The traces that pass, in order. Those deleted since their rows reached the store may be among them. */
  readonly ids: readonly TraceId[]
  /** The facts of those whose run repeated something: only these can have findings. */
  readonly repeating: readonly TraceRecord[]
  /** The last trace of the stretch; null if nothing is behind it. */
  readonly end: TraceId | null
}

/** Traces to print, and what their rows in the store do not have. */
export interface PrintedTraces {
  readonly projectId: ProjectId
  /** At least one, in `order`. */
  readonly ids: readonly TraceId[]
  readonly order: 'asc' | 'desc'
  /** Those without a number have none. */
  readonly attachments: ReadonlyMap<TraceId, number>
  /** Those without kinds have none. */
  readonly findingKinds: ReadonlyMap<TraceId, readonly string[]>
  readonly rates: ModelRates
}

/** Rows of the list of traces as Apache Parquet, printed by the engine. */
export interface TraceRowGroups {
  findStretch(stretch: TraceStretch): Promise<FoundStretch>
  /**
   * A file with the first `count` of these traces, in order: all, or fewer if their rows are large. Its columns are
   * those of the list, each optional: texts, JSON as text, times as milliseconds. Traces that are gone are left out.
   */
  print(traces: PrintedTraces): Promise<{ readonly file: Buffer; readonly count: number }>
}
