import type { Migration } from '../control/migration.ts'

/** Vectors that an endpoint made, kept by what they were made from; a trace refers to the one of its text. */
export const endpointVectors: Migration = {
  version: 2,
  name: 'vectors and names by endpoints',
  statements: `
    ALTER TABLE features ADD COLUMN text TEXT;           -- what an endpoint is sent; null when there was none
    ALTER TABLE features ADD COLUMN vector_key BLOB;     -- of its vector; null before it was asked for
    CREATE INDEX features_by_vector ON features (project_id, vector_key) WHERE vector_key IS NOT NULL;

    CREATE TABLE vectors (
      project_id BLOB NOT NULL,
      vector_key BLOB NOT NULL,      -- SHA-256 of the source and the text
      source TEXT NOT NULL,          -- which endpoint and model
      dimension INTEGER NOT NULL,    -- 0 for the text that is empty
      vector BLOB NOT NULL,
      UNIQUE (project_id, vector_key)
    ) STRICT;
    CREATE INDEX vectors_by_source ON vectors (project_id, source, dimension);

    ALTER TABLE clusters ADD COLUMN named_by TEXT;       -- the model; null when it was named by its words
  `,
}
