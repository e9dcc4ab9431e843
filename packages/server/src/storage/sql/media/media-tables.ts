import type { TablesIn } from '../schema/tables-in.ts'

/**
 * In the words of SQLite: see render-tables.ts. `attachments` is ordered by trace and step, because it is read so; the
 * step of an attachment to the whole trace is the empty one.
 */
export const MEDIA_SCHEMA = `
    -- Ids are their 16 bytes, hashes their 32; times are milliseconds.
    CREATE TABLE media (
      project_id BLOB NOT NULL,
      sha256 BLOB NOT NULL,
      blob_key TEXT NOT NULL,
      content_type TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      width INTEGER,
      height INTEGER,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, sha256)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE attachments (
      trace_id BLOB NOT NULL,
      -- Empty: the whole trace.
      step_id BLOB NOT NULL,
      id BLOB NOT NULL,
      project_id BLOB NOT NULL,
      sha256 BLOB NOT NULL,
      kind TEXT NOT NULL,
      filename TEXT,
      claimed_type TEXT,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (trace_id, step_id, id),
      FOREIGN KEY (project_id, sha256) REFERENCES media (project_id, sha256)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attachments_by_media ON attachments (project_id, sha256, id);
    CREATE INDEX attachments_by_age ON attachments (project_id, created_at);

    CREATE TABLE pending_blobs (
      blob_key TEXT NOT NULL PRIMARY KEY,
      -- 0: being written; 1: marked for deletion.
      condemned INTEGER NOT NULL,
      owner TEXT NOT NULL DEFAULT '',
      lease_until INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX condemned_blobs ON pending_blobs (blob_key) WHERE condemned = 1;

    CREATE TABLE direct_uploads (
      id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      step_id BLOB,
      kind TEXT NOT NULL,
      filename TEXT,
      content_type TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      sha256 BLOB NOT NULL,
      staging_key TEXT,
      final_key TEXT,
      -- 1: it has become an attachment.
      taken INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX staged_uploads ON direct_uploads (project_id, sha256) WHERE staging_key IS NOT NULL AND taken = 0;
    CREATE INDEX staged_uploads_by_id ON direct_uploads (id) WHERE staging_key IS NOT NULL AND taken = 0;
    CREATE INDEX direct_uploads_by_expiry ON direct_uploads (expires_at);
    CREATE INDEX direct_uploads_by_trace ON direct_uploads (trace_id) WHERE filename IS NOT NULL;
` as const

export interface MediaTables extends TablesIn<typeof MEDIA_SCHEMA> {
  /** Written by the journal. */
  readonly deleted_traces: { readonly trace_id: Uint8Array }
}
export type MediaRow = MediaTables['media']
export type AttachmentRow = MediaTables['attachments']
export type DirectUploadRow = MediaTables['direct_uploads']
