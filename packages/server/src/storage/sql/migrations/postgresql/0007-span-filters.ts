import type { Migration } from '../control/migration.ts'

/** Which spans of OpenTelemetry a project takes. */
export const spanFilters: Migration = {
  version: 7,
  name: 'span filters of projects',
  statements: `
    ALTER TABLE projects ADD COLUMN span_filter TEXT COLLATE "C" NOT NULL DEFAULT 'keep';
  `,
}
