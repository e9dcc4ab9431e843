import type { KeyId, ProjectId, ViewId } from '@spoor/contract/ids'
import type { View } from '../../../ports/views/view.ts'
import type { AddedView, ViewStore } from '../../../ports/views/view-store.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { ViewRow, ViewTables } from './view-tables.ts'

/** Saved views. */
export class SqlViewStore implements ViewStore {
  readonly #database: SqlDatabase<ViewTables>
  readonly #sql: ReturnType<typeof statementsOn>

  constructor(database: SqlDatabase<ViewTables>) {
    this.#database = database
    this.#sql = statementsOn(database)
  }

  add(view: View, mostOfProject: number): Promise<AddedView> {
    const { projectId, name } = view
    const sql = this.#sql
    return this.#database.write(function* (): Work<AddedView> {
      if ((yield* first(sql.byName({ projectId, name }))) !== undefined) return 'name_taken'
      const known = yield* first(sql.count({ projectId }))
      if (Number(known?.count) >= mostOfProject) return 'full'
      yield* run(sql.insert(toRow(view)))
      return 'added'
    })
  }

  change(projectId: ProjectId, id: ViewId, apply: (view: View) => View): Promise<View | 'name_taken' | 'missing'> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<View | 'name_taken' | 'missing'> {
      const present = yield* first(sql.byId({ projectId, id }))
      if (present === undefined) return 'missing'
      const next = apply(fromRow(present))
      const named = yield* first(sql.byName({ projectId, name: next.name }))
      if (named !== undefined && named.id !== id) return 'name_taken'
      yield* run(sql.update(toRow(next)))
      return next
    })
  }

  remove(projectId: ProjectId, id: ViewId, check: (view: View) => void): Promise<boolean> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<boolean> {
      const present = yield* first(sql.byId({ projectId, id }))
      if (present !== undefined) check(fromRow(present))
      return (yield* run(sql.remove({ projectId, id }))) === 1
    })
  }

  async list(projectId: ProjectId, after: ViewId | null, limit: number): Promise<readonly View[]> {
    return (await this.#database.read(this.#sql.page({ projectId, after: after ?? '', limit }))).map(fromRow)
  }
}

function statementsOn(database: SqlDatabase<ViewTables>) {
  return {
    insert: database.statement((queries, row: ViewRow) => queries.insertInto('views').values(row)),
    update: database.statement((queries, row: ViewRow) =>
      queries
        .updateTable('views')
        .set({ name: row.name, query: row.query, display: row.display, updated_at: row.updated_at })
        .where('id', '=', row.id),
    ),
    remove: database.statement((queries, { projectId, id }: { projectId: string; id: string }) =>
      queries.deleteFrom('views').where('id', '=', id).where('project_id', '=', projectId),
    ),
    count: database.statement((queries, { projectId }: { projectId: string }) =>
      queries
        .selectFrom('views')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('project_id', '=', projectId),
    ),
    byName: database.statement((queries, { projectId, name }: { projectId: string; name: string }) =>
      queries.selectFrom('views').select('id').where('project_id', '=', projectId).where('name', '=', name),
    ),
    byId: database.statement((queries, { projectId, id }: { projectId: string; id: string }) =>
      queries.selectFrom('views').selectAll().where('id', '=', id).where('project_id', '=', projectId),
    ),
    page: database.statement(
      (queries, { projectId, after, limit }: { projectId: string; after: string; limit: number }) =>
        queries
          .selectFrom('views')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('id', '>', after)
          .orderBy('id')
          .limit(limit),
    ),
  }
}

function fromRow(row: ViewRow): View {
  return {
    projectId: row.project_id as ProjectId,
    id: row.id as ViewId,
    name: row.name,
    query: JSON.parse(row.query) as View['query'],
    display: JSON.parse(row.display) as View['display'],
    createdBy: row.created_by as KeyId,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(view: View): ViewRow {
  return {
    id: view.id,
    project_id: view.projectId,
    name: view.name,
    query: JSON.stringify(view.query),
    display: JSON.stringify(view.display),
    created_by: view.createdBy,
    created_at: view.createdAt,
    updated_at: view.updatedAt,
  }
}
