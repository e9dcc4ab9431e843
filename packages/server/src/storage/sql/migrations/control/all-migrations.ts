import { projectsKeysJournal } from './0001-projects-keys-journal.ts'
import { purgedMarks } from './0002-purged-marks.ts'
import { noAbandonedVersions } from './0003-no-abandoned-versions.ts'
import { media } from './0004-media.ts'
import { metrics } from './0005-metrics.ts'
import { prices } from './0006-prices.ts'
import { monitors } from './0007-monitors.ts'
import { sessions } from './0008-sessions.ts'
import { webhooks } from './0009-webhooks.ts'
import { toldClusterRuns } from './0010-told-cluster-runs.ts'
import { sessionProjects } from './0011-session-projects.ts'
import { storeIdentity } from './0012-store-identity.ts'
import { deliveryStore } from './0013-delivery-store.ts'
import { idLead } from './0014-id-lead.ts'
import { forgettingDeletedTraces } from './0015-forgetting-deleted-traces.ts'
import { leases } from './0016-leases.ts'
import { uploadLeases } from './0017-upload-leases.ts'
import { quietWaits } from './0018-quiet-waits.ts'
import { spanFilters } from './0019-span-filters.ts'
import { webhookFormats } from './0020-webhook-formats.ts'
import { views } from './0021-views.ts'
import { supersededUsage } from './0022-superseded-usage.ts'
import type { Migration } from './migration.ts'

/** In the order they are run. */
export const ALL_MIGRATIONS: readonly Migration[] = [
  projectsKeysJournal,
  purgedMarks,
  noAbandonedVersions,
  media,
  metrics,
  prices,
  monitors,
  sessions,
  webhooks,
  toldClusterRuns,
  sessionProjects,
  storeIdentity,
  deliveryStore,
  idLead,
  forgettingDeletedTraces,
  leases,
  uploadLeases,
  quietWaits,
  spanFilters,
  webhookFormats,
  views,
  supersededUsage,
]
