import type { Migration } from '../control/migration.ts'
import { baseline } from './0001-baseline.ts'
import { commits } from './0002-commits.ts'
import { deliveries } from './0003-deliveries.ts'
import { settling } from './0004-settling.ts'
import { quietWaits } from './0005-quiet-waits.ts'
import { onlyComplete } from './0006-only-complete.ts'
import { spanFilters } from './0007-span-filters.ts'
import { webhookFormats } from './0008-webhook-formats.ts'
import { views } from './0009-views.ts'
import { labelsAndFailures } from './0010-labels-and-failures.ts'
import { supersededUsage } from './0011-superseded-usage.ts'
import { jobLanes } from './0012-job-lanes.ts'

/** In the order they are run. One that changes tables has a twin in ../control/ or ../clusters/. */
export const POSTGRESQL_MIGRATIONS: readonly Migration[] = [
  baseline,
  commits,
  deliveries,
  settling,
  quietWaits,
  onlyComplete,
  spanFilters,
  webhookFormats,
  views,
  labelsAndFailures,
  supersededUsage,
  jobLanes,
]
