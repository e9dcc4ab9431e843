/** Metrics of the group committer. */
export interface CommitMetrics {
  observeCommit(commit: {
    readonly durationMs: number
    readonly traces: number
    readonly steps: number
    readonly bytes: number
  }): void
  commitFailed(): void
  setQueue(queue: { readonly operations: number; readonly bytes: number }): void
}
