export interface ProjectPage {
  readonly projectId: string
  /** The id before the page; empty for the first. */
  readonly after: string
  readonly limit: number
}

/** Rows by id of a table with the columns `project_id` and `id`. */
export function pageOfProject(table: string, condition = ''): string {
  return `SELECT * FROM ${table} WHERE project_id = :projectId AND id > :after ${condition} ORDER BY id LIMIT :limit`
}
