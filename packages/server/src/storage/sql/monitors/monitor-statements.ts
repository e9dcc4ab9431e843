import type { DatabaseSync, StatementSync } from 'node:sqlite'

const SQL = {
  applyEvaluated: `UPDATE monitors
    SET state = ?, state_since = ?, breaches = ?, last_value = ?, last_samples = ?, last_evaluated_at = ?
    WHERE id = ? AND project_id = ? AND revision = ? AND state <> ? AND last_evaluated_at IS ?`,
  applyChanged: `UPDATE monitors SET state = ?, state_since = ?, breaches = 0
    WHERE id = ? AND project_id = ? AND revision = ? AND state <> ?`,
  insertHistory: `INSERT INTO monitor_history
      (monitor_id, sequence, state, at, value, samples, threshold, cause, revision, recorded_at)
    SELECT ?, coalesce(max(sequence), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM monitor_history WHERE monitor_id = ?`,
  dropOldest: `DELETE FROM monitor_history WHERE monitor_id = ?
    AND sequence <= (SELECT max(sequence) FROM monitor_history WHERE monitor_id = ?) - ?`,
} as const

export type MonitorStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/** The statements of monitor-changes.ts, which run inside the journal's transaction. */
export function prepareMonitors(database: DatabaseSync): MonitorStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as MonitorStatements
}
