import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { currentLeaseOn } from '../leases/current-lease.ts'
import type { HistoryRow, MonitorRow, MonitorTables } from './monitor-tables.ts'

/** The monitor as the writer found it; if it has changed since, nothing is updated. */
interface Found {
  readonly id: string
  readonly foundRevision: number
  readonly foundState: string
}

interface FoundEvaluated extends Found {
  readonly foundEvaluatedAt: number | null
}

interface Replaced extends FoundEvaluated {
  readonly foundGroups: string
}

interface Evaluation extends FoundEvaluated {
  readonly groups: string
  readonly breaches: number
  readonly value: number | null
  readonly samples: number
  readonly at: number
}

interface HistoryPage {
  readonly projectId: string
  readonly id: string
  readonly before: number
  readonly limit: number
}

/** Every statement about monitors, except statements of the journal's transaction. */
export function monitorQueriesOn(database: SqlDatabase<MonitorTables>) {
  const { query } = sqlTextOn(database)
  const isFound = 'id = :id AND revision = :foundRevision AND state = :foundState'
  return {
    currentLease: currentLeaseOn(database),
    insert: database.statement((queries, row: MonitorRow) => queries.insertInto('monitors').values(row)),
    replace: database.statement(
      (queries, { id, foundRevision, foundState, foundGroups, foundEvaluatedAt, ...row }: MonitorRow & Replaced) =>
        queries
          .updateTable('monitors')
          .set(row)
          .where('id', '=', id)
          .where('revision', '=', foundRevision)
          .where('state', '=', foundState)
          .where('groups', '=', foundGroups)
          .where('last_evaluated_at', 'is not distinct from', foundEvaluatedAt),
    ),
    remove: query<Found>(`DELETE FROM monitors WHERE ${isFound}`),
    recordEvaluation: query<Evaluation>(`UPDATE monitors SET breaches = :breaches, last_value = :value,
        last_samples = :samples, last_evaluated_at = :at, groups = :groups
      WHERE ${isFound} AND last_evaluated_at IS NOT DISTINCT FROM :foundEvaluatedAt`),
    countOfProject: query<{ projectId: string }, { count: number }>(
      'SELECT count(*) AS count FROM monitors WHERE project_id = :projectId',
    ),
    byId: query<{ projectId: string; id: string }, MonitorRow>(
      'SELECT * FROM monitors WHERE id = :id AND project_id = :projectId',
    ),
    page: query<ProjectPage, MonitorRow>(pageOfProject('monitors')),
    enabled: query<object, MonitorRow>('SELECT * FROM monitors WHERE enabled = 1 ORDER BY project_id, id'),
    history: query<HistoryPage, HistoryRow>(`SELECT monitor_history.* FROM monitor_history
      JOIN monitors ON monitors.id = monitor_history.monitor_id
      WHERE monitor_history.monitor_id = :id AND monitors.project_id = :projectId
        AND monitor_history.sequence < :before
      ORDER BY monitor_history.sequence DESC LIMIT :limit`),
    deleteHistory: query<{ id: string }>('DELETE FROM monitor_history WHERE monitor_id = :id'),
    pruneHistory: query<{ recordedBefore: number; limit: number }>(`DELETE FROM monitor_history
      WHERE (monitor_id, sequence) IN (SELECT old.monitor_id, old.sequence FROM monitor_history AS old
        WHERE old.recorded_at < :recordedBefore ORDER BY old.recorded_at LIMIT :limit)`),
  }
}
