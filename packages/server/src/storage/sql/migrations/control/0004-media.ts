import type { Migration } from './migration.ts'

/**
 * Bytes are stored once for a project and hash (`media`), and are there as long as an attachment refers to them.
 * `attachments` is ordered by trace and step, because that is how it is read; the step of an attachment to the whole
 * trace is the empty one.
 */
export const media: Migration = {
  version: 4,
  name: 'media, attachments and what is pending of them',
  statements: `
    CREATE TABLE media (
      project_id BLOB NOT NULL,
      sha256 BLOB NOT NULL,
      blob_key TEXT NOT NULL,
      content_type TEXT NOT NULL,    -- found in the bytes
      size_bytes INTEGER NOT NULL,
      width INTEGER,
      height INTEGER,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, sha256)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE attachments (
      trace_id BLOB NOT NULL,
      step_id BLOB NOT NULL,         -- empty for the trace itself
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

    CREATE TABLE pending_blobs (
      blob_key TEXT NOT NULL PRIMARY KEY,
      condemned INTEGER NOT NULL     -- 0: being written; 1: to be removed
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
      staging_key TEXT,              -- null: through the service
      final_key TEXT,
      taken INTEGER NOT NULL,        -- 1: it has become an attachment; the staging key is still to be swept
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX staged_uploads ON direct_uploads (project_id, sha256) WHERE staging_key IS NOT NULL AND taken = 0;
    CREATE INDEX staged_uploads_by_id ON direct_uploads (id) WHERE staging_key IS NOT NULL AND taken = 0;
    CREATE INDEX direct_uploads_by_expiry ON direct_uploads (expires_at);
  `,
}
