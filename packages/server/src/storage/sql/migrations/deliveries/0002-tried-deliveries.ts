import type { Migration } from '../control/migration.ts'

/** Only those that were tried are given up for their age, and they are found without looking at the others. */
export const triedDeliveries: Migration = {
  version: 2,
  name: 'pending deliveries that were tried, by age',
  statements: `
    CREATE INDEX deliveries_tried ON deliveries (schedule_started_at)
      WHERE status = 0 AND (step > 0 OR step_due_at IS NOT NULL);
  `,
}
