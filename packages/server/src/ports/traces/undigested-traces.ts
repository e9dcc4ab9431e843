import type { StoredTrace } from './trace-store.ts'

export interface UndigestedRange {
  /** Strictly after this trace in the order of the store; null for the start. */
  readonly after: StoredTrace | null
  /** Only traces whose stored version is greater. */
  readonly sinceVersion: number
  readonly limit: number
}

/** Traces that an earlier version stored, whose digest (TraceRecord) is not filled in yet, or not as a whole. */
export interface UndigestedTraces {
  /**
   * In the order of the store, without deleted ones. A trace may have got its digest meanwhile. A version that is not
   * settled yet may be missing.
   */
  find(range: UndigestedRange): Promise<readonly StoredTrace[]>
}
