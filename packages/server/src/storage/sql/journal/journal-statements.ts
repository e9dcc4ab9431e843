import type { DatabaseSync, StatementSync } from 'node:sqlite'

const SQL = {
  readState: 'SELECT version, last_trace_id, head_position, pruned_through, id_lead_ms FROM journal_state',
  confirmState: 'UPDATE journal_state SET confirmations = confirmations + 1',
  updateState: 'UPDATE journal_state SET version = ?, last_trace_id = coalesce(?, last_trace_id), head_position = ?',
  raiseIdLead: 'UPDATE journal_state SET id_lead_ms = max(id_lead_ms, ?)',
  insertRow: 'INSERT INTO journal (last_position, project_id, committed_at, events) VALUES (?, ?, ?, ?)',
  readRows: `SELECT last_position, committed_at, events FROM journal
    WHERE project_id = ? AND last_position > ? ORDER BY last_position LIMIT ?`,
  readAllRows: `SELECT last_position, project_id, committed_at, events FROM journal
    WHERE last_position > ? ORDER BY last_position`,

  oldestRows: 'SELECT last_position, committed_at FROM journal ORDER BY last_position LIMIT ?',
  nextRowNotAfter:
    'SELECT committed_at FROM journal WHERE last_position > ? AND committed_at <= ? ORDER BY last_position LIMIT 1',
  deleteRowsThrough: 'DELETE FROM journal WHERE last_position <= ?',
  readRow: 'SELECT events FROM journal WHERE last_position = ?',
  replaceEvents: 'UPDATE journal SET events = ? WHERE last_position = ?',
  addFlagReason: 'INSERT INTO flag_reasons (trace_id, last_position) VALUES (?, ?) ON CONFLICT DO NOTHING',
  flagReasons: 'SELECT last_position FROM flag_reasons WHERE trace_id = ?',
  deleteFlagReasons: 'DELETE FROM flag_reasons WHERE trace_id = ?',
  deleteFlagReasonsThrough: 'DELETE FROM flag_reasons WHERE last_position <= ?',
  forgetFilenames: 'UPDATE direct_uploads SET filename = NULL WHERE trace_id = ? AND filename IS NOT NULL',
  setPrunedThrough: 'UPDATE journal_state SET pruned_through = ?',

  insertTraceKey: 'INSERT INTO trace_keys (project_id, key, body_hash, trace_id) VALUES (?, ?, ?, ?)',
  findTraceKey: 'SELECT body_hash, trace_id FROM trace_keys WHERE project_id = ? AND key = ?',
  wholeTraceKeys: `SELECT project_id, key FROM trace_keys INDEXED BY whole_trace_keys
    WHERE trace_id = ? AND substr(key, 1, 1) = x'77'`,
  replaceTraceKey: 'UPDATE trace_keys SET key = ? WHERE project_id = ? AND key = ?',
  insertStepKey: 'INSERT INTO step_keys (trace_id, key, step_id, content_hash) VALUES (?, ?, ?, ?)',
  findStepKey: 'SELECT step_id, content_hash FROM step_keys WHERE trace_id = ? AND key = ?',
  deleteStepKeys:
    'DELETE FROM step_keys WHERE trace_id = ? AND key IN (SELECT key FROM step_keys WHERE trace_id = ? LIMIT ?)',

  insertSuperseded: `INSERT INTO superseded_keys
    (project_id, until_version, trace_id, from_version, superseded_at, duration_ms, total_tokens, step_count)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  supersededAt: `SELECT trace_id, from_version, until_version, duration_ms, total_tokens, step_count FROM superseded_keys
    WHERE project_id = ? AND until_version > ? AND from_version <= ?`,
  nextSupersededProject: 'SELECT project_id FROM superseded_keys WHERE project_id > ? ORDER BY project_id LIMIT 1',
  oldestSuperseded: `SELECT until_version, trace_id, superseded_at FROM superseded_keys
    WHERE project_id = ? ORDER BY until_version, trace_id LIMIT ?`,
  deleteSuperseded: 'DELETE FROM superseded_keys WHERE project_id = ? AND until_version = ? AND trace_id = ?',

  markRunTold: 'INSERT INTO told_cluster_runs (run_id, told_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  forgetRunsTold: 'DELETE FROM told_cluster_runs WHERE told_at < ?',

  insertDeleted: 'INSERT INTO deleted_traces (trace_id, project_id, through_position) VALUES (?, ?, ?)',
  anyDeleted: 'SELECT 1 FROM deleted_traces LIMIT 1',
  isDeleted: 'SELECT 1 FROM deleted_traces WHERE trace_id = ?',
  isToPurge: 'SELECT 1 FROM deleted_traces WHERE trace_id = ? AND purged = 0',
  pendingPurges:
    'SELECT trace_id, project_id FROM deleted_traces WHERE purged = 0 AND trace_id > ? ORDER BY trace_id LIMIT ?',
  pendingPurgeCount: 'SELECT count(*) AS count FROM (SELECT 1 FROM deleted_traces WHERE purged = 0 LIMIT ?)',
  setPurged: 'UPDATE deleted_traces SET purged = 1 WHERE trace_id = ?',
  forgetPurgedThrough: 'DELETE FROM deleted_traces WHERE purged = 1 AND through_position <= ?',
} as const

export type JournalStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/** Every statement of the journal, compiled once. */
export function prepareJournal(database: DatabaseSync): JournalStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as JournalStatements
}
