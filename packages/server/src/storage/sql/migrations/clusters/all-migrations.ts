import type { Migration } from '../control/migration.ts'
import { clusters } from './0001-clusters.ts'
import { endpointVectors } from './0002-endpoint-vectors.ts'
import { jobLeases } from './0003-job-leases.ts'
import { onlyComplete } from './0004-only-complete.ts'
import { labelsAndFailures } from './0005-labels-and-failures.ts'
import { jobLanes } from './0006-job-lanes.ts'

/** In the order they are run; what has been released is never changed. */
export const CLUSTER_MIGRATIONS: readonly Migration[] = [
  clusters,
  endpointVectors,
  jobLeases,
  onlyComplete,
  labelsAndFailures,
  jobLanes,
]
