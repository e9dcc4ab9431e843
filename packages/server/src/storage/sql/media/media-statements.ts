import type { DatabaseSync, StatementSync } from 'node:sqlite'

const ATTACHMENT = `a.id, a.project_id, a.trace_id, a.step_id, a.kind, a.filename, a.created_at,
  m.sha256, m.content_type, m.size_bytes, m.width, m.height`
const ATTACHMENTS = 'attachments a JOIN media m ON m.project_id = a.project_id AND m.sha256 = a.sha256'

const SQL = {
  beginBlob: 'INSERT INTO pending_blobs (blob_key, condemned) VALUES (?, 0)',
  condemnBlob: 'UPDATE pending_blobs SET condemned = 1 WHERE blob_key = ?',
  condemnAllBlobs: 'UPDATE pending_blobs SET condemned = 1 WHERE condemned = 0',
  forgetPendingBlobs: 'DELETE FROM pending_blobs WHERE condemned = 0',
  condemned: 'SELECT blob_key FROM pending_blobs WHERE condemned = 1 AND blob_key > ? ORDER BY blob_key LIMIT ?',
  addCondemned: 'INSERT INTO pending_blobs (blob_key, condemned) VALUES (?, 1) ON CONFLICT DO UPDATE SET condemned = 1',
  forgetBlob: 'DELETE FROM pending_blobs WHERE blob_key = ?',

  insertMedia: `INSERT INTO media (project_id, sha256, blob_key, content_type, size_bytes, width, height, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  findMedia: `SELECT m.*, a.filename, a.claimed_type FROM media m
    JOIN attachments a ON a.project_id = m.project_id AND a.sha256 = m.sha256
    WHERE m.project_id = ? AND m.sha256 = ? ORDER BY a.id DESC LIMIT 1`,
  mediaKey: 'SELECT blob_key FROM media WHERE project_id = ? AND sha256 = ?',
  moveMedia: 'UPDATE media SET blob_key = ? WHERE project_id = ? AND sha256 = ?',
  deleteMedia: 'DELETE FROM media WHERE project_id = ? AND sha256 = ? RETURNING blob_key',

  insertAttachment: `INSERT INTO attachments (trace_id, step_id, id, project_id, sha256, kind, filename, claimed_type, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  /** Like the newest attachment of the same bytes. */
  linkMedia: `INSERT INTO attachments (trace_id, step_id, id, project_id, sha256, kind, filename, claimed_type, created_at)
    SELECT ?, ?, ?, project_id, sha256, kind, filename, claimed_type, ? FROM attachments
    WHERE project_id = ? AND sha256 = ? ORDER BY id DESC LIMIT 1`,
  attachment: `SELECT ${ATTACHMENT} FROM ${ATTACHMENTS} WHERE a.trace_id = ? AND a.step_id = ? AND a.id = ?`,
  attachmentsOf: `SELECT ${ATTACHMENT} FROM ${ATTACHMENTS} WHERE a.trace_id = ? AND a.step_id = ? ORDER BY a.id`,
  anyAttachment: 'SELECT 1 FROM attachments LIMIT 1',
  anyAttachmentOf: 'SELECT 1 FROM attachments WHERE trace_id = ? LIMIT 1',
  countAttachments: 'SELECT count(*) AS count FROM attachments WHERE trace_id = ?',
  mediaOfTrace: 'SELECT DISTINCT project_id, sha256 FROM attachments WHERE trace_id = ?',
  deleteAttachments: 'DELETE FROM attachments WHERE trace_id = ?',
  isReferenced: 'SELECT 1 FROM attachments WHERE project_id = ? AND sha256 = ? LIMIT 1',
  isDeletedTrace: 'SELECT 1 FROM deleted_traces WHERE trace_id = ?',

  insertDirect: `INSERT INTO direct_uploads (id, project_id, trace_id, step_id, kind, filename, content_type, size_bytes, sha256,
      staging_key, final_key, taken, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  findDirect: 'SELECT * FROM direct_uploads WHERE id = ?',
  findStaged: `SELECT * FROM direct_uploads
    WHERE project_id = ? AND sha256 = ? AND staging_key IS NOT NULL AND taken = 0 ORDER BY id LIMIT 100`,
  listStaged: 'SELECT * FROM direct_uploads WHERE id > ? AND staging_key IS NOT NULL AND taken = 0 ORDER BY id LIMIT ?',
  setFinalKey: 'UPDATE direct_uploads SET final_key = ? WHERE id = ?',
  takeDirect: 'UPDATE direct_uploads SET taken = 1, final_key = NULL WHERE id = ? AND taken = 0',
  deleteDirect: 'DELETE FROM direct_uploads WHERE id = ?',
  listExpired: 'SELECT id FROM direct_uploads WHERE expires_at < ? ORDER BY expires_at LIMIT ?',
} as const

export type MediaStatements = { readonly [name in keyof typeof SQL]: StatementSync }

/** Every statement on media, compiled once. */
export function prepareMedia(database: DatabaseSync): MediaStatements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as MediaStatements
}
