import { pageOfProject, type ProjectPage } from '../kit/page-of-project.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { currentLeaseOn } from '../leases/current-lease.ts'
import type { MonitorRow, MonitorTables } from './monitor-tables.ts'

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

/** Every statement about monitors, except statements of the journal's transaction. */
export function monitorQueriesOn(database: SqlDatabase<MonitorTables>) {
  return {
    ...readsOn(database),
    ...historyOn(database),
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
    remove: database.statement((queries, found: Found) =>
      queries
        .deleteFrom('monitors')
        .where('id', '=', found.id)
        .where('revision', '=', found.foundRevision)
        .where('state', '=', found.foundState),
    ),
    recordEvaluation: database.statement((queries, evaluation: Evaluation) =>
      queries
        .updateTable('monitors')
        .set({
          breaches: evaluation.breaches,
          last_value: evaluation.value,
          last_samples: evaluation.samples,
          last_evaluated_at: evaluation.at,
          groups: evaluation.groups,
        })
        .where('id', '=', evaluation.id)
        .where('revision', '=', evaluation.foundRevision)
        .where('state', '=', evaluation.foundState)
        .where('last_evaluated_at', 'is not distinct from', evaluation.foundEvaluatedAt),
    ),
  }
}

function readsOn(database: SqlDatabase<MonitorTables>) {
  return {
    countOfProject: database.statement((queries, { projectId }: { projectId: string }) =>
      queries
        .selectFrom('monitors')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('project_id', '=', projectId),
    ),
    byId: database.statement((queries, { projectId, id }: { projectId: string; id: string }) =>
      queries.selectFrom('monitors').selectAll().where('id', '=', id).where('project_id', '=', projectId),
    ),
    page: database.statement((queries, page: ProjectPage) =>
      pageOfProject(queries.selectFrom('monitors').selectAll(), page),
    ),
    enabled: database.statement((queries) =>
      queries.selectFrom('monitors').selectAll().where('enabled', '=', 1).orderBy('project_id').orderBy('id'),
    ),
  }
}

interface HistoryPage {
  readonly projectId: string
  readonly id: string
  readonly before: number
  readonly limit: number
}

function historyOn(database: SqlDatabase<MonitorTables>) {
  return {
    history: database.statement((queries, { projectId, id, before, limit }: HistoryPage) =>
      queries
        .selectFrom('monitor_history')
        .innerJoin('monitors', 'monitors.id', 'monitor_history.monitor_id')
        .selectAll('monitor_history')
        .where('monitor_history.monitor_id', '=', id)
        .where('monitors.project_id', '=', projectId)
        .where('monitor_history.sequence', '<', before)
        .orderBy('monitor_history.sequence', 'desc')
        .limit(limit),
    ),
    deleteHistory: database.statement((queries, { id }: { id: string }) =>
      queries.deleteFrom('monitor_history').where('monitor_id', '=', id),
    ),
    pruneHistory: database.statement((queries, { recordedBefore, limit }: { recordedBefore: number; limit: number }) =>
      queries
        .deleteFrom('monitor_history')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('monitor_id', 'sequence'),
            'in',
            selectFrom('monitor_history as old')
              .select(['old.monitor_id', 'old.sequence'])
              .where('old.recorded_at', '<', recordedBefore)
              .orderBy('old.recorded_at')
              .limit(limit)
              .$asTuple('monitor_id', 'sequence'),
          ),
        ),
    ),
  }
}
