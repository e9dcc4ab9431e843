import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricDefinition, MetricMeaning } from '../../../ports/metrics/metric-definition.ts'
import type { AddOutcome, MetricStore } from '../../../ports/metrics/metric-store.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

const COLUMNS = 'id, project_id, name, kind, meaning, created_at, updated_at'

/** Definitions of metrics in SQLite, on prepared statements: looked up for events, of which there are thousands a second. */
export class SqliteMetricStore implements MetricStore {
  readonly #database: DatabaseSync
  readonly #onReadError: OnReadError
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #count: StatementSync
  readonly #byName: StatementSync
  readonly #byId: StatementSync
  readonly #page: StatementSync

  constructor(database: DatabaseSync, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#onReadError = onReadError
    this.#insert = database.prepare(`INSERT INTO metrics (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
    this.#update = database.prepare('UPDATE metrics SET meaning = ?, updated_at = ? WHERE id = ?')
    this.#count = database.prepare('SELECT count(*) AS count FROM metrics WHERE project_id = ?')
    this.#byName = database.prepare(`SELECT ${COLUMNS} FROM metrics WHERE project_id = ? AND name = ?`)
    this.#byId = database.prepare(`SELECT ${COLUMNS} FROM metrics WHERE project_id = ? AND id = ?`)
    this.#page = database.prepare(`SELECT ${COLUMNS} FROM metrics WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?`)
  }

  async add(definition: MetricDefinition, mostOfProject: number): Promise<AddOutcome> {
    const { id, projectId, name, kind, createdAt, updatedAt } = definition
    return runAtomically<AddOutcome>(this.#database, () => {
      const present = this.#find(projectId, name)
      if (present !== undefined) return { status: 'exists', definition: present }
      if (Number(this.#count.get(projectId)?.['count']) >= mostOfProject) return { status: 'full' }
      this.#insert.run(id, projectId, name, kind, toMeaningText(definition), createdAt, updatedAt)
      return { status: 'added' }
    })
  }

  async change(
    projectId: ProjectId,
    name: string,
    apply: (definition: MetricDefinition) => MetricDefinition,
  ): Promise<MetricDefinition | undefined> {
    return runAtomically(this.#database, () => {
      const present = this.#find(projectId, name)
      if (present === undefined) return undefined
      const next = apply(present)
      this.#update.run(toMeaningText(next), next.updatedAt, present.id)
      return next
    })
  }

  async findByName(projectId: ProjectId, name: string): Promise<MetricDefinition | undefined> {
    return this.#read(() => this.#find(projectId, name))
  }

  async findById(projectId: ProjectId, id: MetricId): Promise<MetricDefinition | undefined> {
    return this.#read(() => toDefinitionOrNone(this.#byId.get(projectId, id)))
  }

  async list(projectId: ProjectId, after: MetricId | null, limit: number): Promise<readonly MetricDefinition[]> {
    return this.#read(() => this.#page.all(projectId, after ?? '', limit).map(toDefinition))
  }

  #find(projectId: ProjectId, name: string): MetricDefinition | undefined {
    return toDefinitionOrNone(this.#byName.get(projectId, name))
  }

  #read<T>(read: () => T): T {
    return readOrRefuse(read, this.#onReadError)
  }
}

type Row = Readonly<Record<string, SQLOutputValue>>

function toDefinitionOrNone(row: Row | undefined): MetricDefinition | undefined {
  return row === undefined ? undefined : toDefinition(row)
}

function toDefinition(row: Row): MetricDefinition {
  return {
    projectId: row['project_id'] as ProjectId,
    id: row['id'] as MetricId,
    name: row['name'] as string,
    kind: row['kind'] as MetricDefinition['kind'],
    ...(JSON.parse(row['meaning'] as string) as MetricMeaning),
    createdAt: row['created_at'] as number,
    updatedAt: row['updated_at'] as number,
  }
}

function toMeaningText({ description, min, max, unit, options, direction }: MetricMeaning): string {
  return JSON.stringify({ description, min, max, unit, options, direction } satisfies MetricMeaning)
}
