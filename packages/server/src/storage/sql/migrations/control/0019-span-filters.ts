import type { Migration } from './migration.ts'

/** Which spans of OpenTelemetry a project takes: `keep` all, or `agents_only`. */
export const spanFilters: Migration = {
  version: 19,
  name: 'span filters of projects',
  statements: `
    ALTER TABLE projects ADD COLUMN span_filter TEXT NOT NULL DEFAULT 'keep';
  `,
}
