export interface ViewTables {
  views: ViewRow
}

export interface ViewRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  /** JSON. */
  readonly query: string
  readonly display: string
  readonly created_by: string
  /** Milliseconds. */
  readonly created_at: number
  readonly updated_at: number
}
