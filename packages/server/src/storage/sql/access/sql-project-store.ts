import type { SpanFilter } from '@spoor/contract/schemas/project'
import type { ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import type { NewProject, Project, ProjectStore } from '../../../ports/access/project-store.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
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
      yield* run(sql.insert({ id, name, createdAt }))
      for (const key of keys) yield* run(sql.insertKey(toKeyRow(key)))
    })
  }

  async find(id: ProjectId): Promise<Project | undefined> {
    return (await this.#database.read(this.#sql.byId({ id }))).map(toProject)[0]
  }

  async setSpanFilter(id: ProjectId, spanFilter: SpanFilter): Promise<Project | undefined> {
    await this.#database.write(() => run(this.#sql.setSpanFilter({ id, spanFilter })))
    return this.find(id)
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
    insert: database.statement((queries, { id, name, createdAt }: { id: string; name: string; createdAt: number }) =>
      queries.insertInto('projects').values({ id, name, created_at: createdAt, span_filter: 'keep' }),
    ),
    setSpanFilter: database.statement((queries, { id, spanFilter }: { id: string; spanFilter: string }) =>
      queries.updateTable('projects').set({ span_filter: spanFilter }).where('id', '=', id),
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
  const { id, name, created_at: createdAt, span_filter: spanFilter } = row
  return { id: id as ProjectId, name, createdAt, spanFilter: spanFilter as SpanFilter }
}
