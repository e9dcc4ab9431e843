import type { SqlDatabase } from '../kit/sql-database.ts'
import type { HistoryRow, MonitorTables } from './monitor-tables.ts'

export type MonitorStatements = ReturnType<typeof monitorStatementsOn>

/** The monitor as the transition found it; if it has changed since, nothing is updated. */
interface Found {
  readonly monitorId: string
  readonly projectId: string
  readonly revision: number
}

interface Change extends Found {
  readonly to: string
  readonly at: number
}

interface GroupChange extends Found {
  readonly state: string
  readonly stateSince: number
  readonly groups: string
  readonly foundGroups: string
}

interface EvaluatedChange extends Change {
  readonly value: number | null
  readonly samples: number
  readonly previouslyEvaluatedAt: number | null
}

/** The statements of monitor-changes.ts, which run inside the journal's transaction. */
export function monitorStatementsOn(database: SqlDatabase<MonitorTables>) {
  return {
    applyEvaluated: database.statement((queries, change: EvaluatedChange) =>
      queries
        .updateTable('monitors')
        .set({
          state: change.to,
          state_since: change.at,
          breaches: 0,
          last_value: change.value,
          last_samples: change.samples,
          last_evaluated_at: change.at,
        })
        .where('id', '=', change.monitorId)
        .where('project_id', '=', change.projectId)
        .where('revision', '=', change.revision)
        .where('state', '<>', change.to)
        .where('last_evaluated_at', 'is not distinct from', change.previouslyEvaluatedAt),
    ),
    applyChanged: database.statement((queries, change: Change) =>
      queries
        .updateTable('monitors')
        .set({ state: change.to, state_since: change.at, breaches: 0 })
        .where('id', '=', change.monitorId)
        .where('project_id', '=', change.projectId)
        .where('revision', '=', change.revision)
        .where('state', '<>', change.to),
    ),
    groupsOf: database.statement((queries, found: Found) =>
      queries
        .selectFrom('monitors')
        .select(['state', 'state_since', 'groups'])
        .where('id', '=', found.monitorId)
        .where('project_id', '=', found.projectId)
        .where('revision', '=', found.revision),
    ),
    applyToGroups: database.statement((queries, change: GroupChange) =>
      queries
        .updateTable('monitors')
        .set({ state: change.state, state_since: change.stateSince, groups: change.groups })
        .where('id', '=', change.monitorId)
        .where('project_id', '=', change.projectId)
        .where('revision', '=', change.revision)
        .where('groups', '=', change.foundGroups),
    ),
    /** Takes the next number of the monitor's history. */
    insertHistory: database.statement((queries, row: Omit<HistoryRow, 'sequence'>) => {
      const columns = Object.keys(row) as (keyof typeof row)[]
      return queries
        .insertInto('monitor_history')
        .columns(['sequence', ...columns])
        .expression((from) =>
          from
            .selectFrom('monitor_history as earlier')
            .select(({ eb, fn, val, lit }) => [
              eb(fn.coalesce(fn.max<number>('earlier.sequence'), lit(0)), '+', lit(1)).as('sequence'),
              ...columns.map((column) => val(row[column]).as(column)),
            ])
            .where('earlier.monitor_id', '=', row.monitor_id),
        )
    }),
    deleteOldest: database.statement((queries, { monitorId, most }: { monitorId: string; most: number }) =>
      queries
        .deleteFrom('monitor_history')
        .where('monitor_id', '=', monitorId)
        .where('sequence', '<=', ({ eb, selectFrom }) =>
          eb(
            selectFrom('monitor_history as latest')
              .select(({ fn }) => fn.max<number>('latest.sequence').as('sequence'))
              .where('latest.monitor_id', '=', monitorId),
            '-',
            most,
          ),
        ),
    ),
  }
}
