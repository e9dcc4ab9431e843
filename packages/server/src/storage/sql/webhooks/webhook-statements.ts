import type { DatabaseSync, StatementSync } from 'node:sqlite'

const SQL = {
  insert: `INSERT INTO webhooks (url, events, description, enabled, disabled_reason, disabled_at, since_position, updated_at,
      id, project_id, created_at, secret, secret_key_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  countOfProject: 'SELECT count(*) AS count FROM webhooks WHERE project_id = ?',
  find: 'SELECT * FROM webhooks WHERE id = ?',
  findOf: 'SELECT * FROM webhooks WHERE id = ? AND project_id = ?',
  listOf: 'SELECT * FROM webhooks WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?',
  enabledOf: 'SELECT * FROM webhooks WHERE project_id = ? AND enabled = 1 ORDER BY id',
  anyEnabled: 'SELECT EXISTS (SELECT 1 FROM webhooks WHERE enabled = 1) AS found',
  change: `UPDATE webhooks SET url = ?, events = ?, description = ?, enabled = ?, disabled_reason = ?, disabled_at = ?,
      since_position = ?, updated_at = ? WHERE id = ?`,
  rotate: `UPDATE webhooks SET previous_secret = secret, previous_secret_until = ?, secret = ?, updated_at = ? WHERE id = ?`,
  remove: 'DELETE FROM webhooks WHERE id = ? AND project_id = ?',
  disable: `UPDATE webhooks SET enabled = 0, disabled_reason = ?, disabled_at = ?, updated_at = ?
    WHERE id = ? AND updated_at = ? AND enabled = 1`,
  withExpired: 'SELECT 1 FROM webhooks WHERE previous_secret_until <= ? LIMIT 1',
  dropExpired: `UPDATE webhooks SET previous_secret = NULL, previous_secret_until = NULL WHERE previous_secret_until <= ?`,
} as const

export type WebhookStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/** Every statement about webhooks, compiled once. */
export function prepareWebhooks(database: DatabaseSync): WebhookStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as WebhookStatements
}
