import type { DatabaseSync, StatementSync } from 'node:sqlite'

const STANDING = 'state = ?, state_since = ?, breaches = ?, last_value = ?, last_samples = ?, last_evaluated_at = ?'

const SQL = {
  insert: `INSERT INTO monitors (id, project_id, name, enabled, definition, revision, created_at, updated_at,
      state, state_since, breaches, last_value, last_samples, last_evaluated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  countOfProject: 'SELECT count(*) AS count FROM monitors WHERE project_id = ?',
  find: 'SELECT * FROM monitors WHERE id = ? AND project_id = ?',
  list: 'SELECT * FROM monitors WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?',
  listEnabled: 'SELECT * FROM monitors WHERE enabled = 1 ORDER BY project_id, id',
  replace: `UPDATE monitors SET name = ?, enabled = ?, definition = ?, revision = ?, updated_at = ?, ${STANDING}
    WHERE id = ? AND revision = ? AND state = ? AND last_evaluated_at IS ?`,
  remove: 'DELETE FROM monitors WHERE id = ? AND revision = ? AND state = ?',
  recordEvaluation: `UPDATE monitors SET breaches = ?, last_value = ?, last_samples = ?, last_evaluated_at = ?
    WHERE id = ? AND revision = ? AND state = ? AND last_evaluated_at IS ?`,

  applyEvaluated: `UPDATE monitors SET ${STANDING}
    WHERE id = ? AND project_id = ? AND revision = ? AND state <> ? AND last_evaluated_at IS ?`,
  applyChanged: `UPDATE monitors SET state = ?, state_since = ?, breaches = 0
    WHERE id = ? AND project_id = ? AND revision = ? AND state <> ?`,
  insertHistory: `INSERT INTO monitor_history
      (monitor_id, sequence, state, at, value, samples, threshold, cause, revision, recorded_at)
    SELECT ?, coalesce(max(sequence), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM monitor_history WHERE monitor_id = ?`,
  dropOldest: `DELETE FROM monitor_history WHERE monitor_id = ?
    AND sequence <= (SELECT max(sequence) FROM monitor_history WHERE monitor_id = ?) - ?`,
  deleteHistory: 'DELETE FROM monitor_history WHERE monitor_id = ?',
  history: `SELECT h.* FROM monitor_history h JOIN monitors m ON m.id = h.monitor_id
    WHERE h.monitor_id = ? AND m.project_id = ? AND h.sequence < ? ORDER BY h.sequence DESC LIMIT ?`,
  oldestHistory: `SELECT monitor_id, sequence FROM monitor_history WHERE recorded_at < ? ORDER BY recorded_at LIMIT ?`,
  deleteHistoryEntry: 'DELETE FROM monitor_history WHERE monitor_id = ? AND sequence = ?',

  takeLease: `INSERT INTO monitor_lease (only_row, holder, expires_at) VALUES (1, ?, ?)
    ON CONFLICT DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE holder = excluded.holder OR expires_at <= ? OR expires_at > ?`,
  releaseLease: 'DELETE FROM monitor_lease WHERE holder = ?',
} as const

export type MonitorStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/** Every statement about monitors, compiled once. */
export function prepareMonitors(database: DatabaseSync): MonitorStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as MonitorStatements
}
