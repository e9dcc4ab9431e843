import type { DatabaseSync, StatementSync } from 'node:sqlite'

const SQL = {
  /** Like the newest attachment of the same bytes. */
  linkMedia: `INSERT INTO attachments (trace_id, step_id, id, project_id, sha256, kind, filename, claimed_type, created_at)
    SELECT ?, ?, ?, project_id, sha256, kind, filename, claimed_type, ? FROM attachments
    WHERE project_id = ? AND sha256 = ? ORDER BY id DESC LIMIT 1`,
  hasMedia: 'SELECT 1 FROM media WHERE project_id = ? AND sha256 = ?',
  countAttachments: 'SELECT count(*) AS count FROM attachments WHERE trace_id = ?',
  mediaOfTrace: 'SELECT DISTINCT project_id, sha256 FROM attachments WHERE trace_id = ?',
  deleteAttachments: 'DELETE FROM attachments WHERE trace_id = ?',
  isReferenced: 'SELECT 1 FROM attachments WHERE project_id = ? AND sha256 = ? LIMIT 1',
  deleteMedia: 'DELETE FROM media WHERE project_id = ? AND sha256 = ? RETURNING blob_key',
  addCondemned: 'INSERT INTO pending_blobs (blob_key, condemned) VALUES (?, 1) ON CONFLICT DO UPDATE SET condemned = 1',
} as const

export type MediaStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/** What the embedded journal looks up and writes of media by itself, in its own transaction. */
export function prepareMedia(database: DatabaseSync): MediaStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as MediaStatements
}
