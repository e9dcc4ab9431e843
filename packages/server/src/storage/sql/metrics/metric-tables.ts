export interface MetricTables {
  metrics: MetricRow
}

export interface MetricRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly kind: string
  /** JSON: the definition without its name and kind. */
  readonly meaning: string
  /** Milliseconds. */
  readonly created_at: number
  readonly updated_at: number
}
