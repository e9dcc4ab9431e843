import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import { camelKeys } from '../../../lib/camel-keys.ts'
import type { JobKind } from '@spoor/contract/schemas/deletion'
import type {
  CountedTrace,
  DeletionJob,
  DeletionJobStore,
  DeletionProgress,
  UserReceipt,
} from '../../../ports/traces/deletion-jobs.ts'
import { insertRows } from '../kit/many-rows.ts'
import { runParts } from '../kit/list-statement.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { CountRow, DeletionRow, DeletionTables } from './deletion-tables.ts'

export class SqlDeletionJobs extends storeOn(statementsOn) implements DeletionJobStore {
  async add(job: DeletionJob): Promise<void> {
    await this.run(this.sql.insert({ ...snakeKeys(job), receipt: receiptJson(job.receipt) }))
  }

  async find(projectId: ProjectId, id: JobId): Promise<DeletionJob | undefined> {
    const [row] = await this.database.read(this.sql.byId({ id }))
    return row?.project_id === projectId ? fromRow(row) : undefined
  }

  async nextOpen(after: JobId | null): Promise<DeletionJob | undefined> {
    const behind = await this.database.read(this.sql.openAfter({ after: after ?? '' }))
    if (behind.length > 0 || after === null) return behind.map(fromRow)[0]
    return this.nextOpen(null)
  }

  async hasOpen(projectId: ProjectId, kind: JobKind): Promise<boolean> {
    return (await this.database.read(this.sql.openOf({ projectId, kind }))).length > 0
  }

  advance(id: JobId, { deleted, status, error, receipt, at }: DeletionProgress): Promise<boolean> {
    return this.transact(function* (sql): Work<boolean> {
      const row = yield* first(sql.byId({ id }))
      if (row === undefined) return false
      const isOpen = row.finished_at === null
      const ends = status !== 'queued' && status !== 'running'
      const next = isOpen ? { status, error, finishedAt: ends ? at : null } : fromRow(row)
      const kept = receipt === undefined ? row.receipt : receiptJson(receipt)
      yield* run(sql.update({ id, done: row.done + deleted, receipt: kept, ...picked(next) }))
      if (ends || !isOpen) yield* run(sql.dropCounts({ id }))
      return isOpen
    })
  }

  async count(id: JobId, traces: readonly CountedTrace[]): Promise<void> {
    const rows = traces.map(({ traceId, steps, metricEvents, media }) => ({
      job_id: id,
      trace_id: traceId,
      steps,
      metric_events: metricEvents,
      media,
    }))
    await this.database.write(() => runParts(this.sql.putCounts(rows)))
  }

  async counted(id: JobId, after: TraceId | null, limit: number): Promise<readonly CountedTrace[]> {
    const rows = await this.database.read(this.sql.counts({ id, after: after ?? '', limit }))
    return rows.map((row) => ({
      traceId: row.trace_id as TraceId,
      steps: row.steps,
      metricEvents: row.metric_events,
      media: row.media,
    }))
  }

  async prune(endedBy: number, limit: number): Promise<void> {
    await this.run(this.sql.prune({ endedBy, limit }))
  }
}

function receiptJson(receipt: UserReceipt | null): string | null {
  return receipt === null ? null : JSON.stringify(receipt)
}

function picked({ status, error, finishedAt }: Pick<DeletionJob, 'status' | 'error' | 'finishedAt'>) {
  return { status, error, finishedAt }
}

interface Job {
  readonly id: string
}

interface Change extends Job {
  done: number
  status: string
  error: string | null
  receipt: string | null
  finishedAt: number | null
}

function statementsOn(database: SqlDatabase<DeletionTables>) {
  const { query } = sqlTextOn(database)
  return {
    insert: database.statement((queries, row: DeletionRow) => queries.insertInto('deletion_jobs').values(row)),
    byId: query<Job, DeletionRow>('SELECT * FROM deletion_jobs WHERE id = :id'),
    openAfter: query<{ after: string }, DeletionRow>(
      'SELECT * FROM deletion_jobs WHERE finished_at IS NULL AND id > :after ORDER BY id LIMIT 1',
    ),
    openOf: query<{ projectId: string; kind: string }>(`SELECT id FROM deletion_jobs
      WHERE finished_at IS NULL AND project_id = :projectId AND kind = :kind LIMIT 1`),
    update: query<Change>(`UPDATE deletion_jobs
      SET done = :done, status = :status, error = :error, receipt = :receipt, finished_at = :finishedAt WHERE id = :id`),
    putCounts: insertRows(database, (queries, rows: readonly CountRow[]) =>
      queries
        .insertInto('deletion_counts')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['job_id', 'trace_id']).doUpdateSet(({ ref }) => ({
            steps: ref('excluded.steps'),
            metric_events: ref('excluded.metric_events'),
            media: ref('excluded.media'),
          })),
        ),
    ),
    counts: query<Job & { after: string; limit: number }, CountRow>(
      'SELECT * FROM deletion_counts WHERE job_id = :id AND trace_id > :after ORDER BY trace_id LIMIT :limit',
    ),
    dropCounts: query<Job>('DELETE FROM deletion_counts WHERE job_id = :id'),
    prune: query<{ endedBy: number; limit: number }>(`DELETE FROM deletion_jobs WHERE id IN (
      SELECT id FROM deletion_jobs WHERE finished_at < :endedBy ORDER BY finished_at LIMIT :limit)`),
  }
}

function fromRow(row: DeletionRow): DeletionJob {
  const receipt = row.receipt === null ? null : (JSON.parse(row.receipt) as UserReceipt)
  return { ...camelKeys(row), receipt } as DeletionJob
}
