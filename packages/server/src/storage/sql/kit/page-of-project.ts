import { type SelectQueryBuilder, sql } from 'kysely'

export interface ProjectPage {
  readonly projectId: string
  /** The id before the page; empty for the first. */
  readonly after: string
  readonly limit: number
}

/** Rows by id of a table with the columns `project_id` and `id`. */
export function pageOfProject<Schema, Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { projectId, after, limit }: ProjectPage,
): SelectQueryBuilder<Schema, Table, Row> {
  const id = sql.ref<string>('id')
  return query.where(sql.ref('project_id'), '=', projectId).where(id, '>', after).orderBy(id).limit(limit)
}
