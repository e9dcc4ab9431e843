/** A table as a template: engine and cluster clauses differ between the embedded and a replicated store. */
export interface TelemetryDialect {
  /** `ReplacingMergeTree(ver)` embedded. */
  readonly replacingEngine: (versionColumn: string) => string
  /** `''` embedded, ` ON CLUSTER …` on a cluster. */
  readonly onCluster: string
}
