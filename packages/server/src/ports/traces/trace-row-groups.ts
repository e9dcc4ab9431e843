import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { ModelRates } from '../prices/price.ts'
import type { TraceRecord } from './trace-record.ts'
import type { SummaryQuery } from './trace-summaries.ts'

/** Where a stretch of the traces of a project begins, in the order of their creation. */
export interface TraceStretch extends Omit<SummaryQuery, 'by'> {
  readonly order: 'asc' | 'desc'
  /** Strictly after this one; null for the start. */
  readonly after: TraceId | null
  /** Traces whose ids are within so many milliseconds, but at most `limit` of those that pass. */
  readonly spanMs: number
  readonly limit: number
}

export interface FoundStretch {
  /** The traces that pass, in order. Those deleted since their rows reached the store may be among them. */
  readonly ids: readonly TraceId[]
  /** Whether neither filters nor times may leave traces out between the first and the last of them. */
  readonly isWhole: boolean
  /** All traces up to this id are in the stretch; null if nothing is behind it. */
  readonly end: TraceId | null
}

/** What the columns of found traces need, of the moment in which they are printed. */
export interface StretchDetails {
  /** The models that they used, by priced names. */
  readonly models: readonly string[]
  /** Those with findings. */
  readonly withFindings: readonly Pick<TraceRecord, 'id' | 'digest'>[]
}

/** Traces to print, and what their rows in the store do not have. */
export interface PrintedTraces extends Pick<FoundStretch, 'ids' | 'isWhole'>, Pick<StretchDetails, 'models'> {
  readonly projectId: ProjectId
  /** Those among `ids` that are left out. */
  readonly deleted: ReadonlySet<TraceId>
  readonly order: 'asc' | 'desc'
  /** Those without a number have none. */
  readonly attachments: ReadonlyMap<TraceId, number>
  /** Those without kinds have none. */
  readonly findingKinds: ReadonlyMap<TraceId, readonly string[]>
  readonly rates: ModelRates
  /** Of the file. */
  readonly mostBytes: number
}

/** Rows of the list of traces as Apache Parquet, printed by the engine. */
export interface TraceRowGroups {
  findStretch(stretch: TraceStretch): Promise<FoundStretch>
  /** Of at least one trace. */
  detailsOf(traces: Pick<PrintedTraces, 'projectId' | 'ids' | 'isWhole'>): Promise<StretchDetails>
  /**
   * A file with the first `count` of these traces, at least one, in order: all, or fewer if their rows are large. It
   * exceeds `mostBytes` only with a single trace. Its columns are those of the list, each optional: texts, JSON as
   * text, times as milliseconds. Traces that are gone are left out.
   */
  print(traces: PrintedTraces): Promise<{ readonly file: Buffer; readonly count: number }>
}
