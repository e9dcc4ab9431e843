import { type Masking, NO_MASKING } from '@spoor/contract/schemas/masking'
import { camelKeys } from '../../../lib/camel-keys.ts'
import type { ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import {
  NEW_PROJECT,
  type NewProject,
  type Project,
  type ProjectSettings,
  type ProjectStore,
  type SettingsChange,
} from '../../../ports/access/project-store.ts'
import { RememberedReads } from '../kit/remembered-reads.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { AccessTables, ProjectRow } from './access-tables.ts'
import { insertKeyOn, toKeyRow } from './key-row.ts'

/** Beyond this number of projects all are evicted. */
const REMEMBERED_PROJECTS = 10_000

/** Projects found by id are cached until one changes here or another process writes. */
export class SqlProjectStore extends storeOn(statementsOn) implements ProjectStore {
  readonly #remembered: RememberedReads<string, Project>

  constructor(database: SqlDatabase<AccessTables>) {
    super(database)
    this.#remembered = new RememberedReads(database, { most: REMEMBERED_PROJECTS })
  }

  create({ id, name, createdAt }: NewProject, keys: readonly StoredKey[]): Promise<void> {
    return this.transact(function* (sql): Work<void> {
      yield* run(sql.insert({ id, name, created_at: createdAt, ...toColumns(NEW_PROJECT) }))
      for (const key of keys) yield* run(sql.insertKey(toKeyRow(key)))
    })
  }

  find(id: ProjectId): Promise<Project | undefined> {
    return this.#remembered.get(id, async () => (await this.database.read(this.sql.byId({ id }))).map(toProject)[0])
  }

  async change(id: ProjectId, { retention, masking, ...others }: SettingsChange): Promise<Project | undefined> {
    try {
      return await this.transact(function* (sql): Work<Project | undefined> {
        const row = yield* first(sql.byId({ id }))
        if (row === undefined) return undefined
        const project = toProject(row)
        const changed = {
          ...project,
          ...others,
          retention: { ...project.retention, ...retention },
          masking: { ...project.masking, ...masking },
        }
        yield* run(sql.update({ id, ...toColumns(changed) }))
        return changed
      })
    } finally {
      this.#remembered.forgetAll()
    }
  }

  async list(after: ProjectId | null, limit: number): Promise<readonly Project[]> {
    return (await this.database.read(this.sql.page({ after: after ?? '', limit }))).map(toProject)
  }

  async findByName(name: string): Promise<readonly Project[]> {
    return (await this.database.read(this.sql.byName({ name }))).map(toProject)
  }
}

function statementsOn(database: SqlDatabase<AccessTables>) {
  const { query } = sqlTextOn(database)
  return {
    insertKey: insertKeyOn(database),
    insert: database.statement((queries, row: ProjectRow) => queries.insertInto('projects').values(row)),
    update: database.statement((queries, { id, ...columns }: SettingsColumns & { readonly id: string }) =>
      queries.updateTable('projects').set(columns).where('id', '=', id),
    ),
    byId: query<{ id: string }, ProjectRow>('SELECT * FROM projects WHERE id = :id'),
    byName: query<{ name: string }, ProjectRow>('SELECT * FROM projects WHERE name = :name ORDER BY id'),
    page: query<{ after: string; limit: number }, ProjectRow>(
      'SELECT * FROM projects WHERE id > :after ORDER BY id LIMIT :limit',
    ),
  }
}

type SettingsColumns = Omit<ProjectRow, 'id' | 'name' | 'created_at'>

function toColumns(settings: ProjectSettings): SettingsColumns {
  const { spanFilter, versionKey, taskKey, inputPath, retention, masking } = settings
  const { days, flaggedDays, mediaDays } = retention
  const columns = { spanFilter, versionKey, taskKey, inputPath, retentionDays: days, flaggedDays, mediaDays }
  return { ...snakeKeys(columns), masking: JSON.stringify(masking) }
}

function toProject(row: ProjectRow): Project {
  const { retentionDays: days, flaggedDays, mediaDays, ...project } = camelKeys(row)
  const masking = row.masking === null ? NO_MASKING : (JSON.parse(row.masking) as Masking)
  return { ...project, retention: { days, flaggedDays, mediaDays }, masking } as Project
}
