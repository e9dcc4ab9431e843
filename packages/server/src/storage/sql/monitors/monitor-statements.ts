import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { HistoryRow, MonitorRow, MonitorTables } from './monitor-tables.ts'

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
  const { query } = sqlTextOn(database)
  const isFound = 'id = :monitorId AND project_id = :projectId AND revision = :revision'
  return {
    applyEvaluated: query<EvaluatedChange>(`UPDATE monitors SET state = :to, state_since = :at, breaches = 0,
        last_value = :value, last_samples = :samples, last_evaluated_at = :at
      WHERE ${isFound} AND state <> :to AND last_evaluated_at IS NOT DISTINCT FROM :previouslyEvaluatedAt`),
    applyChanged: query<Change>(
      `UPDATE monitors SET state = :to, state_since = :at, breaches = 0 WHERE ${isFound} AND state <> :to`,
    ),
    groupsOf: query<Found, Pick<MonitorRow, 'state' | 'state_since' | 'groups'>>(
      `SELECT state, state_since, groups FROM monitors WHERE ${isFound}`,
    ),
    applyToGroups: query<GroupChange>(`UPDATE monitors SET state = :state, state_since = :stateSince, groups = :groups
      WHERE ${isFound} AND groups = :foundGroups`),
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
    deleteOldest: query<{ monitorId: string; most: number }>(`DELETE FROM monitor_history
      WHERE monitor_id = :monitorId AND sequence <= (
        SELECT max(latest.sequence) FROM monitor_history AS latest WHERE latest.monitor_id = :monitorId) - :most`),
  }
}
