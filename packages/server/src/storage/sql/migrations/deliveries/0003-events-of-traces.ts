import type { Migration } from '../control/migration.ts'

/**
 * So that what a trace's events say goes with the trace. `trace_id` is text, because that is what the bodies of older
 * events hold; an event whose trace is purged keeps neither body nor trace.
 */
export const eventsOfTraces: Migration = {
  version: 3,
  name: 'events are found by their trace',
  statements: `
    ALTER TABLE events ADD COLUMN trace_id TEXT;
    UPDATE events SET trace_id = coalesce(
      json_extract(CAST(body AS TEXT), '$.data.trace.id'), json_extract(CAST(body AS TEXT), '$.data.event.trace_id'))
      WHERE type IN (1, 2, 3) AND json_valid(CAST(body AS TEXT));
    CREATE INDEX events_by_trace ON events (trace_id) WHERE trace_id IS NOT NULL;
    CREATE INDEX deliveries_by_event ON deliveries (event);
  `,
}
