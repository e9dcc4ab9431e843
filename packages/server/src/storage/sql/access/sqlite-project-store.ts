import type { DatabaseSync } from 'node:sqlite'
import type { ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import type { Project, ProjectStore } from '../../../ports/access/project-store.ts'
import { toKeyRow } from './key-row.ts'
import { executeAtomically, type ControlQueries } from '../kysely-dialect.ts'

export class SqliteProjectStore implements ProjectStore {
  readonly #database: DatabaseSync
  readonly #queries: ControlQueries

  constructor(database: DatabaseSync, queries: ControlQueries) {
    this.#database = database
    this.#queries = queries
  }

  async create(project: Project, keys: readonly StoredKey[]): Promise<void> {
    const row = { id: project.id, name: project.name, created_at: project.createdAt }
    executeAtomically(this.#database, [
      this.#queries.insertInto('projects').values(row).compile(),
      ...keys.map((key) => this.#queries.insertInto('keys').values(toKeyRow(key)).compile()),
    ])
  }

  async find(id: ProjectId): Promise<Project | undefined> {
    const row = await this.#queries.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : toProject(row)
  }

  async list(after: ProjectId | null, limit: number): Promise<readonly Project[]> {
    const rows = await this.#queries
      .selectFrom('projects')
      .selectAll()
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toProject)
  }

  async findByName(name: string): Promise<readonly Project[]> {
    const rows = await this.#queries.selectFrom('projects').selectAll().where('name', '=', name).orderBy('id').execute()
    return rows.map(toProject)
  }
}

function toProject(row: { id: string; name: string; created_at: number }): Project {
  return { id: row.id as ProjectId, name: row.name, createdAt: row.created_at }
}
