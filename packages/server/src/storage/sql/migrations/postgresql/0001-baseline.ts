import type { Migration } from '../control/migration.ts'

/**
 * The schema of control.db at version 17 and of clusters.db at version 3: no cluster is older. Text is ordered by its
 * bytes, as in SQLite. Numbers without a fraction are BIGINT, flags are 0 or 1. What columns hold is said in
 * ../control/ and ../clusters/.
 */
export const baseline: Migration = {
  version: 1,
  name: 'control data and clusters',
  statements: `
    -- Grows with each transaction that changes what nodes cache: see PostgresqlDatabase.version.
    CREATE TABLE control_version (
      only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version BIGINT NOT NULL
    );
    INSERT INTO control_version VALUES (1, 0);

    CREATE TABLE projects (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      name TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL
    );

    CREATE TABLE keys (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
      name TEXT COLLATE "C" NOT NULL,
      scopes TEXT COLLATE "C" NOT NULL,
      secret_hash BYTEA NOT NULL,
      last_four TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      revoked_at BIGINT
    );
    CREATE UNIQUE INDEX keys_by_secret ON keys (secret_hash);
    CREATE INDEX keys_by_project ON keys (project_id, id);

    CREATE TABLE sessions (
      number BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      token_hash BYTEA NOT NULL UNIQUE,
      key_id TEXT COLLATE "C" NOT NULL REFERENCES keys (id),
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      project_id TEXT COLLATE "C" REFERENCES projects (id)
    );
    CREATE INDEX sessions_by_key ON sessions (key_id, number);
    CREATE INDEX sessions_by_end ON sessions (expires_at);

    CREATE TABLE journal_state (
      only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version BIGINT NOT NULL,
      last_trace_id BYTEA,
      head_position BIGINT NOT NULL,
      pruned_through BIGINT NOT NULL,
      confirmations BIGINT NOT NULL DEFAULT 0,
      id_lead_ms BIGINT NOT NULL DEFAULT 0
    );
    INSERT INTO journal_state (only_row, version, head_position, pruned_through) VALUES (1, 0, 0, 0);

    CREATE TABLE journal (
      last_position BIGINT NOT NULL PRIMARY KEY,
      project_id BYTEA NOT NULL,
      committed_at BIGINT NOT NULL,
      events BYTEA NOT NULL
    );
    CREATE INDEX journal_by_project ON journal (project_id, last_position);

    CREATE TABLE trace_keys (
      project_id BYTEA NOT NULL,
      key BYTEA NOT NULL,
      body_hash BYTEA NOT NULL,
      trace_id BYTEA NOT NULL,
      PRIMARY KEY (project_id, key)
    );
    CREATE INDEX whole_trace_keys ON trace_keys (trace_id) WHERE substr(key, 1, 1) = '\\x77'::bytea;

    CREATE TABLE step_keys (
      trace_id BYTEA NOT NULL,
      key BYTEA NOT NULL,
      step_id BYTEA NOT NULL,
      content_hash BYTEA NOT NULL,
      PRIMARY KEY (trace_id, key)
    );

    CREATE TABLE superseded_keys (
      project_id BYTEA NOT NULL,
      until_version BIGINT NOT NULL,
      trace_id BYTEA NOT NULL,
      from_version BIGINT NOT NULL,
      superseded_at BIGINT NOT NULL,
      duration_ms DOUBLE PRECISION,
      total_tokens BIGINT NOT NULL,
      step_count BIGINT NOT NULL,
      PRIMARY KEY (project_id, until_version, trace_id)
    );

    CREATE TABLE deleted_traces (
      trace_id BYTEA NOT NULL PRIMARY KEY,
      project_id BYTEA NOT NULL,
      through_position BIGINT NOT NULL DEFAULT 0,
      purged BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX deleted_to_purge ON deleted_traces (trace_id) WHERE purged = 0;
    CREATE INDEX purged_marks ON deleted_traces (through_position) WHERE purged = 1;

    CREATE TABLE flag_reasons (
      trace_id BYTEA NOT NULL,
      last_position BIGINT NOT NULL,
      PRIMARY KEY (trace_id, last_position)
    );
    CREATE INDEX flag_reasons_by_position ON flag_reasons (last_position);

    CREATE TABLE told_cluster_runs (
      run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      told_at BIGINT NOT NULL
    );

    CREATE TABLE media (
      project_id BYTEA NOT NULL,
      sha256 BYTEA NOT NULL,
      blob_key TEXT COLLATE "C" NOT NULL,
      content_type TEXT COLLATE "C" NOT NULL,
      size_bytes BIGINT NOT NULL,
      width BIGINT,
      height BIGINT,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, sha256)
    );

    CREATE TABLE attachments (
      trace_id BYTEA NOT NULL,
      step_id BYTEA NOT NULL,
      id BYTEA NOT NULL,
      project_id BYTEA NOT NULL,
      sha256 BYTEA NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      filename TEXT COLLATE "C",
      claimed_type TEXT COLLATE "C",
      created_at BIGINT NOT NULL,
      PRIMARY KEY (trace_id, step_id, id),
      FOREIGN KEY (project_id, sha256) REFERENCES media (project_id, sha256)
    );
    CREATE INDEX attachments_by_media ON attachments (project_id, sha256, id);

    CREATE TABLE pending_blobs (
      blob_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      condemned BIGINT NOT NULL,
      owner TEXT COLLATE "C" NOT NULL DEFAULT '',
      lease_until BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX condemned_blobs ON pending_blobs (blob_key) WHERE condemned = 1;

    CREATE TABLE direct_uploads (
      id BYTEA NOT NULL PRIMARY KEY,
      project_id BYTEA NOT NULL,
      trace_id BYTEA NOT NULL,
      step_id BYTEA,
      kind TEXT COLLATE "C" NOT NULL,
      filename TEXT COLLATE "C",
      content_type TEXT COLLATE "C" NOT NULL,
      size_bytes BIGINT NOT NULL,
      sha256 BYTEA NOT NULL,
      staging_key TEXT COLLATE "C",
      final_key TEXT COLLATE "C",
      taken BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    );
    CREATE INDEX staged_uploads ON direct_uploads (project_id, sha256) WHERE staging_key IS NOT NULL AND taken = 0;
    CREATE INDEX staged_uploads_by_id ON direct_uploads (id) WHERE staging_key IS NOT NULL AND taken = 0;
    CREATE INDEX direct_uploads_by_expiry ON direct_uploads (expires_at);
    CREATE INDEX direct_uploads_by_trace ON direct_uploads (trace_id) WHERE filename IS NOT NULL;

    CREATE TABLE metrics (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
      name TEXT COLLATE "C" NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      meaning TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    );
    CREATE UNIQUE INDEX metrics_by_name ON metrics (project_id, name);
    CREATE INDEX metrics_by_project ON metrics (project_id, id);

    CREATE TABLE prices (
      project_id BYTEA NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      input_rate DOUBLE PRECISION NOT NULL,
      output_rate DOUBLE PRECISION NOT NULL,
      cache_read_rate DOUBLE PRECISION,
      cache_write_rate DOUBLE PRECISION,
      updated_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, model)
    );

    CREATE TABLE monitors (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
      name TEXT COLLATE "C" NOT NULL,
      enabled BIGINT NOT NULL,
      definition TEXT COLLATE "C" NOT NULL,
      revision BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL,
      state_since BIGINT NOT NULL,
      breaches BIGINT NOT NULL,
      last_value DOUBLE PRECISION,
      last_samples BIGINT,
      last_evaluated_at BIGINT
    );
    CREATE INDEX monitors_by_project ON monitors (project_id, id);

    CREATE TABLE monitor_history (
      monitor_id TEXT COLLATE "C" NOT NULL,
      sequence BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL,
      at BIGINT NOT NULL,
      value DOUBLE PRECISION,
      samples BIGINT NOT NULL,
      threshold DOUBLE PRECISION NOT NULL,
      cause TEXT COLLATE "C" NOT NULL,
      revision BIGINT NOT NULL,
      recorded_at BIGINT NOT NULL,
      PRIMARY KEY (monitor_id, sequence)
    );
    CREATE INDEX monitor_history_by_time ON monitor_history (recorded_at);

    CREATE TABLE webhooks (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
      url TEXT COLLATE "C" NOT NULL,
      events TEXT COLLATE "C" NOT NULL,
      description TEXT COLLATE "C" NOT NULL,
      enabled BIGINT NOT NULL,
      disabled_reason TEXT COLLATE "C",
      disabled_at BIGINT,
      since_position BIGINT NOT NULL,
      secret BYTEA NOT NULL,
      previous_secret BYTEA,
      previous_secret_until BIGINT,
      secret_key_id TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    );
    CREATE INDEX webhooks_by_project ON webhooks (project_id, id);
    CREATE INDEX webhooks_enabled ON webhooks (project_id, id) WHERE enabled = 1;
    CREATE INDEX webhooks_with_previous ON webhooks (previous_secret_until) WHERE previous_secret_until IS NOT NULL;

    CREATE TABLE delivery_store (
      only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1)
    );

    CREATE TABLE store_identity (
      only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
      store_id TEXT COLLATE "C" NOT NULL,
      parts_recorded BIGINT NOT NULL DEFAULT 0
    );
    INSERT INTO store_identity (only_row, store_id)
      SELECT 1, left(digits, 12) || right(digits, 4) FROM replace(gen_random_uuid()::text, '-', '') AS digits;

    CREATE TABLE leases (
      name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      holder TEXT COLLATE "C" NOT NULL,
      epoch BIGINT NOT NULL,
      until BIGINT NOT NULL
    );

    CREATE TABLE jobs (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      project_id BYTEA NOT NULL,
      status TEXT COLLATE "C" NOT NULL,
      window_hours BIGINT NOT NULL,
      k_min BIGINT NOT NULL,
      k_max BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      started_at BIGINT,
      finished_at BIGINT,
      error TEXT COLLATE "C",
      result TEXT COLLATE "C",
      epoch BIGINT NOT NULL DEFAULT 0,
      holder TEXT COLLATE "C",
      held_until BIGINT
    );
    CREATE INDEX jobs_by_project ON jobs (project_id, id);
    CREATE UNIQUE INDEX jobs_open ON jobs (project_id) WHERE status IN ('queued', 'running');

    CREATE TABLE schedules (
      project_id BYTEA NOT NULL PRIMARY KEY,
      enabled BIGINT NOT NULL,
      every_hours BIGINT NOT NULL,
      window_hours BIGINT NOT NULL,
      k_min BIGINT NOT NULL,
      k_max BIGINT NOT NULL,
      next_run_at BIGINT
    );

    CREATE TABLE features (
      project_id BYTEA NOT NULL,
      trace_id BYTEA NOT NULL,
      version BIGINT NOT NULL,
      embedder TEXT COLLATE "C" NOT NULL,
      features BYTEA NOT NULL,
      excerpt TEXT COLLATE "C" NOT NULL,
      text TEXT COLLATE "C",
      vector_key BYTEA,
      UNIQUE (project_id, trace_id)
    );
    CREATE INDEX features_by_vector ON features (project_id, vector_key) WHERE vector_key IS NOT NULL;

    CREATE TABLE vectors (
      project_id BYTEA NOT NULL,
      vector_key BYTEA NOT NULL,
      source TEXT COLLATE "C" NOT NULL,
      dimension BIGINT NOT NULL,
      vector BYTEA NOT NULL,
      UNIQUE (project_id, vector_key)
    );
    CREATE INDEX vectors_by_source ON vectors (project_id, source, dimension);

    CREATE TABLE bases (
      project_id BYTEA NOT NULL PRIMARY KEY,
      fit BIGINT NOT NULL,
      basis BYTEA NOT NULL
    );

    CREATE TABLE runs (
      run BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      id TEXT COLLATE "C" NOT NULL UNIQUE,
      project_id BYTEA NOT NULL,
      computed_at BIGINT NOT NULL,
      duration_ms BIGINT NOT NULL,
      window_hours BIGINT NOT NULL,
      k_min BIGINT NOT NULL,
      k_max BIGINT NOT NULL,
      traces BIGINT NOT NULL,
      created BIGINT NOT NULL,
      shifted BIGINT NOT NULL,
      ended BIGINT NOT NULL,
      embedder_version TEXT COLLATE "C" NOT NULL,
      cohesion DOUBLE PRECISION NOT NULL,
      silhouette DOUBLE PRECISION NOT NULL,
      refused_gain DOUBLE PRECISION NOT NULL,
      choice TEXT COLLATE "C" NOT NULL,
      centroids BYTEA NOT NULL,
      reaches BYTEA NOT NULL,
      map_directions BYTEA NOT NULL,
      map_centre BYTEA NOT NULL,
      map_scale DOUBLE PRECISION NOT NULL,
      assigned_through BYTEA NOT NULL,
      news TEXT COLLATE "C" NOT NULL,
      told BIGINT NOT NULL
    );
    CREATE INDEX runs_by_project ON runs (project_id, run);
    CREATE INDEX runs_untold ON runs (run) WHERE told = 0;

    CREATE TABLE clusters (
      run BIGINT NOT NULL,
      place BIGINT NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      label TEXT COLLATE "C" NOT NULL,
      description TEXT COLLATE "C" NOT NULL,
      keywords TEXT COLLATE "C" NOT NULL,
      color TEXT COLLATE "C" NOT NULL,
      error_rate DOUBLE PRECISION NOT NULL,
      size BIGINT NOT NULL,
      members BIGINT NOT NULL,
      cohesion DOUBLE PRECISION NOT NULL,
      first_seen_at BIGINT NOT NULL,
      representatives TEXT COLLATE "C" NOT NULL,
      named_by TEXT COLLATE "C",
      PRIMARY KEY (run, place)
    );

    CREATE TABLE members (
      run BIGINT NOT NULL,
      ordinal BIGINT NOT NULL,
      trace_id BYTEA NOT NULL,
      place BIGINT NOT NULL,
      x DOUBLE PRECISION,
      y DOUBLE PRECISION,
      PRIMARY KEY (run, ordinal)
    );
    CREATE UNIQUE INDEX members_by_trace ON members (run, trace_id);
    CREATE INDEX members_by_cluster ON members (run, place, trace_id);
  `,
}
