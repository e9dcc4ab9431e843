import type { ProjectId } from '@spoor/contract/ids'
import { camelKeys } from '../../../lib/camel-keys.ts'
import type { Saved, View } from '../../../ports/views/view.ts'
import type { AddedView, ViewStore } from '../../../ports/views/view-store.ts'
import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { ViewRow, ViewTables } from './view-tables.ts'

/** Saved views, or dashboards. */
export class SqlViewStore<S extends Saved = View> implements ViewStore<S> {
  readonly #database: SqlDatabase<ViewTables>
  readonly #kind: string
  readonly #sql: ReturnType<typeof statementsOn>

  constructor(database: SqlDatabase<ViewTables>, kind: 'view' | 'dashboard' = 'view') {
    this.#database = database
    this.#kind = kind
    this.#sql = statementsOn(database, kind)
  }

  add(view: S, mostOfProject: number): Promise<AddedView> {
    const { projectId, name } = view
    const sql = this.#sql
    const row = toRow(this.#kind, view)
    return this.#database.write(function* (): Work<AddedView> {
      if ((yield* first(sql.byName({ projectId, name }))) !== undefined) return 'name_taken'
      const known = yield* first(sql.count({ projectId }))
      if (Number(known?.count) >= mostOfProject) return 'full'
      yield* run(sql.insert(row))
      return 'added'
    })
  }

  change(projectId: ProjectId, id: S['id'], apply: (view: S) => S): Promise<S | 'name_taken' | 'missing'> {
    const [sql, kind] = [this.#sql, this.#kind]
    return this.#database.write(function* (): Work<S | 'name_taken' | 'missing'> {
      const present = yield* first(sql.byId({ projectId, id }))
      if (present === undefined) return 'missing'
      const next = apply(fromRow<S>(present))
      const named = yield* first(sql.byName({ projectId, name: next.name }))
      if (named !== undefined && named.id !== id) return 'name_taken'
      yield* run(sql.update(toRow(kind, next)))
      return next
    })
  }

  remove(projectId: ProjectId, id: S['id'], check: (view: S) => void): Promise<boolean> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<boolean> {
      const present = yield* first(sql.byId({ projectId, id }))
      if (present !== undefined) check(fromRow<S>(present))
      return (yield* run(sql.remove({ projectId, id }))) === 1
    })
  }

  async list(projectId: ProjectId, after: S['id'] | null, limit: number): Promise<readonly S[]> {
    return (await this.#database.read(this.#sql.page({ projectId, after: after ?? '', limit }))).map((row) =>
      fromRow<S>(row),
    )
  }
}

interface Named {
  readonly projectId: string
  readonly id: string
}

function statementsOn(database: SqlDatabase<ViewTables>, kind: 'view' | 'dashboard') {
  const { query } = sqlTextOn(database)
  const isOfProject = `project_id = :projectId AND kind = '${kind}'`
  return {
    insert: database.statement((queries, row: ViewRow) => queries.insertInto('views').values(row)),
    update: query<ViewRow>(`UPDATE views
      SET name = :name, content = :content, created_by = :created_by, updated_at = :updated_at WHERE id = :id`),
    remove: query<Named>(`DELETE FROM views WHERE id = :id AND ${isOfProject}`),
    count: query<{ projectId: string }, { count: number }>(`SELECT count(*) AS count FROM views WHERE ${isOfProject}`),
    byName: query<{ projectId: string; name: string }, Pick<ViewRow, 'id'>>(
      `SELECT id FROM views WHERE ${isOfProject} AND name = :name`,
    ),
    byId: query<Named, ViewRow>(`SELECT * FROM views WHERE id = :id AND ${isOfProject}`),
    page: query<ProjectPage, ViewRow>(pageOfProject('views', `AND kind = '${kind}'`)),
  }
}

/** The kind of a row decides what it holds. */
function fromRow<S extends Saved>({ kind: _kind, ...row }: ViewRow): S {
  return { ...camelKeys(row), content: JSON.parse(row.content) as object } as unknown as S
}

function toRow(kind: string, view: Saved): ViewRow {
  return { ...snakeKeys(view), kind, content: JSON.stringify(view.content) }
}
