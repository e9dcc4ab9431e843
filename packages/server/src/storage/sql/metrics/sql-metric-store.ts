import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { camelKeys } from '../../../lib/camel-keys.ts'
import { meaningOf, type MetricMeaning } from '@spoor/contract/schemas/metrics/metric'
import type { MetricDefinition } from '../../../ports/metrics/metric-definition.ts'
import type { AddOutcome, MetricStore } from '../../../ports/metrics/metric-store.ts'
import { RememberedReads } from '../kit/remembered-reads.ts'
import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import { type BoundStatement, first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { MetricRow, MetricTables } from './metric-tables.ts'

/** Characters of cached definitions: some ten thousand common ones. Beyond this number all are evicted. */
const REMEMBERED_CHARACTERS = 8 * 1024 * 1024

/** Definitions of metrics are cached until one changes here or another process writes. */
export class SqlMetricStore extends storeOn(statementsOn) implements MetricStore {
  /** By project with name or id, and by project alone one of its definitions. */
  readonly #remembered: RememberedReads<string, MetricDefinition>

  constructor(database: SqlDatabase<MetricTables>) {
    super(database)
    this.#remembered = new RememberedReads(database, { weightOf: charactersOf, most: REMEMBERED_CHARACTERS })
  }

  add(definition: MetricDefinition, mostOfProject: number): Promise<AddOutcome> {
    const { projectId, name } = definition
    return this.transact(function* (sql): Work<AddOutcome> {
      const present = yield* first(sql.byName({ projectId, name }))
      if (present !== undefined) return { status: 'exists', definition: fromRow(present) }
      const known = yield* first(sql.count({ projectId }))
      if (Number(known?.count) >= mostOfProject) return { status: 'full' }
      yield* run(sql.insert(toRow(definition)))
      return { status: 'added' }
    })
  }

  async change(
    projectId: ProjectId,
    name: string,
    apply: (definition: MetricDefinition) => MetricDefinition,
  ): Promise<MetricDefinition | undefined> {
    try {
      return await this.transact(function* (sql): Work<MetricDefinition | undefined> {
        const present = yield* first(sql.byName({ projectId, name }))
        if (present === undefined) return undefined
        const next = apply(fromRow(present))
        const { id, meaning, updated_at: updatedAt } = toRow(next)
        yield* run(sql.update({ id, meaning, updatedAt }))
        return next
      })
    } finally {
      this.#remembered.forgetAll()
    }
  }

  findByName(projectId: ProjectId, name: string): Promise<MetricDefinition | undefined> {
    return this.#find(`${projectId} name ${name}`, this.sql.byName({ projectId, name }))
  }

  findById(projectId: ProjectId, id: MetricId): Promise<MetricDefinition | undefined> {
    return this.#find(`${projectId} id ${id}`, this.sql.byId({ projectId, id }))
  }

  async hasAny(projectId: ProjectId): Promise<boolean> {
    return (await this.#find(projectId, this.sql.page({ projectId, after: '', limit: 1 }))) !== undefined
  }

  #find(key: string, statement: BoundStatement<MetricRow>): Promise<MetricDefinition | undefined> {
    return this.#remembered.get(key, async () => (await this.database.read(statement)).map(fromRow)[0])
  }

  async list(projectId: ProjectId, after: MetricId | null, limit: number): Promise<readonly MetricDefinition[]> {
    return (await this.database.read(this.sql.page({ projectId, after: after ?? '', limit }))).map(fromRow)
  }
}

function statementsOn(database: SqlDatabase<MetricTables>) {
  const { query } = sqlTextOn(database)
  return {
    insert: database.statement((queries, row: MetricRow) => queries.insertInto('metrics').values(row)),
    update: query<{ id: string; meaning: string; updatedAt: number }>(
      'UPDATE metrics SET meaning = :meaning, updated_at = :updatedAt WHERE id = :id',
    ),
    count: query<{ projectId: string }, { count: number }>(
      'SELECT count(*) AS count FROM metrics WHERE project_id = :projectId',
    ),
    byName: query<{ projectId: string; name: string }, MetricRow>(
      'SELECT * FROM metrics WHERE project_id = :projectId AND name = :name',
    ),
    byId: query<{ projectId: string; id: string }, MetricRow>(
      'SELECT * FROM metrics WHERE project_id = :projectId AND id = :id',
    ),
    page: query<ProjectPage, MetricRow>(pageOfProject('metrics')),
  }
}

/** The overhead of a definition beside its texts, counted as characters. */
const OVERHEAD = 500

function charactersOf({ name, description, unit, options }: MetricDefinition): number {
  let characters = OVERHEAD + name.length + (description?.length ?? 0) + (unit?.length ?? 0)
  for (const { value, label } of options ?? []) characters += OVERHEAD / 5 + value.length + (label?.length ?? 0)
  return characters
}

function fromRow({ meaning, ...row }: MetricRow): MetricDefinition {
  return { ...camelKeys(row), ...(JSON.parse(meaning) as Omit<MetricMeaning, 'kind'>) } as MetricDefinition
}

function toRow(metric: MetricDefinition): MetricRow {
  const { id, projectId, name, createdAt, updatedAt } = metric
  const { kind, ...meaning } = meaningOf(metric)
  return { ...snakeKeys({ id, projectId, name, kind, createdAt, updatedAt }), meaning: JSON.stringify(meaning) }
}
