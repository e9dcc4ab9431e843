/** Metrics of what is written. */
export interface CommitMetrics {
  observeCommit(commit: {
    readonly durationMs: number
    readonly traces: number
    readonly steps: number
    readonly bytes: number
  }): void
  commitFailed(): void
  /** Spans that a project does not take. */
  spansFiltered(count: number): void
  setQueue(queue: { readonly operations: number; readonly bytes: number }): void
}
