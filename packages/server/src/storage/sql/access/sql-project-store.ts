import type { SpanFilter } from '@spoor/contract/schemas/project'
import type { ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import {
  NEW_PROJECT,
  type NewProject,
  type Project,
  type ProjectSettings,
  type ProjectStore,
} from '../../../ports/access/project-store.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { AccessTables, ProjectRow } from './access-tables.ts'
import { insertKeyOn, toKeyRow } from './key-row.ts'

export class SqlProjectStore implements ProjectStore {
  readonly #database: SqlDatabase<AccessTables>
  readonly #sql: ReturnType<typeof statementsOn>

  constructor(database: SqlDatabase<AccessTables>) {
    this.#database = database
    this.#sql = statementsOn(database)
  }

  create({ id, name, createdAt }: NewProject, keys: readonly StoredKey[]): Promise<void> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<void> {
      yield* run(sql.insert({ id, name, created_at: createdAt, ...toColumns(NEW_PROJECT) }))
      for (const key of keys) yield* run(sql.insertKey(toKeyRow(key)))
    })
  }

  async find(id: ProjectId): Promise<Project | undefined> {
    return (await this.#database.read(this.#sql.byId({ id }))).map(toProject)[0]
  }

  async change(id: ProjectId, settings: Partial<ProjectSettings>): Promise<Project | undefined> {
    const sql = this.#sql
    return this.#database.write(function* (): Work<Project | undefined> {
      const row = yield* first(sql.byId({ id }))
      if (row === undefined) return undefined
      const changed = { ...toProject(row), ...settings }
      yield* run(sql.change({ id, ...toColumns(changed) }))
      return changed
    })
  }

  async list(after: ProjectId | null, limit: number): Promise<readonly Project[]> {
    return (await this.#database.read(this.#sql.page({ after: after ?? '', limit }))).map(toProject)
  }

  async findByName(name: string): Promise<readonly Project[]> {
    return (await this.#database.read(this.#sql.byName({ name }))).map(toProject)
  }
}

function statementsOn(database: SqlDatabase<AccessTables>) {
  return {
    insertKey: insertKeyOn(database),
    insert: database.statement((queries, { id, name, created_at, span_filter, version_key, task_key }: ProjectRow) =>
      queries.insertInto('projects').values({ id, name, created_at, span_filter, version_key, task_key }),
    ),
    change: database.statement((queries, { id, span_filter, version_key, task_key }: SettingColumns & { id: string }) =>
      queries.updateTable('projects').set({ span_filter, version_key, task_key }).where('id', '=', id),
    ),
    byId: database.statement((queries, { id }: { id: string }) =>
      queries.selectFrom('projects').selectAll().where('id', '=', id),
    ),
    byName: database.statement((queries, { name }: { name: string }) =>
      queries.selectFrom('projects').selectAll().where('name', '=', name).orderBy('id'),
    ),
    page: database.statement((queries, { after, limit }: { after: string; limit: number }) =>
      queries.selectFrom('projects').selectAll().where('id', '>', after).orderBy('id').limit(limit),
    ),
  }
}

function toProject(row: ProjectRow): Project {
  const { id, name, created_at: createdAt, span_filter, version_key: versionKey, task_key: taskKey } = row
  return { id: id as ProjectId, name, createdAt, spanFilter: span_filter as SpanFilter, versionKey, taskKey }
}

type SettingColumns = Pick<ProjectRow, 'span_filter' | 'version_key' | 'task_key'>

function toColumns({ spanFilter, versionKey, taskKey }: ProjectSettings): SettingColumns {
  return { span_filter: spanFilter, version_key: versionKey, task_key: taskKey }
}
