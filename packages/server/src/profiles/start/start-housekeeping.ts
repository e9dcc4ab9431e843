import { setImmediate as nextTurn } from 'node:timers/promises'
import { pruneAudit } from '../../audit/audit-log.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { MediaService } from '../../media/media-service.ts'
import { pruneHistory } from '../../monitors/prune-history.ts'
import { pruneSessions } from '../../projects/prune-sessions.ts'
import type { AppliedRetention, RetentionUseCases } from '../../traces/retention/apply-retention.ts'
import type { CountTraces } from '../../traces/retention/delete-matching.ts'
import { pruneJournal } from '../../traces/retention/prune-journal.ts'
import { RunDeletions } from '../../traces/retention/run-deletions.ts'
import { PurgeDeleted } from '../../traces/retention/purge-deleted.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'
import type { ServiceStores } from './service-stores.ts'
import type { StartedTraces } from './start-traces.ts'
import type { StartedWebhooks } from './start-webhooks.ts'
import { deleteUserOf, type UserDeletionParts } from './user-deletions.ts'

const HOUSEKEEPING_EVERY_MS = 30_000
const DELETIONS_EVERY_MS = 1000
/** An idle node sends PostgreSQL few statements. */
const DELETIONS_OF_NODES_EVERY_MS = 5000
/** How often a round takes in direct uploads. One that a client reads before is taken in at once. */
const STAGED_EVERY_MS = 10_000
/** How often traces and media are looked for that retention no longer keeps. */
const RETENTION_EVERY_MS = 3_600_000
/**
 * Until the first step of the removal of deleted traces, and after a failed one. Others say when the next is due. Also
 * between rounds of the retention while media are left.
 */
const PURGE_AFTER_MS = 1000
/** Events of deleted traces removed without a break: some milliseconds. */
const EVENTS_TOGETHER = 200

interface HouseParts extends Pick<
  ServiceStores,
  'control' | 'store' | 'engine' | 'deliveries' | 'clusterStore' | 'disk' | 'purge' | 'nodes'
> {
  readonly media: Pick<MediaService, 'keepHouse' | 'takeInStaged'>
  readonly webhooks: Pick<StartedWebhooks, 'dispatchedThrough' | 'keepHouse'>
  readonly traces: Pick<StartedTraces, 'watermark' | 'useCases' | 'findRestorable' | 'deleteForGood'>
  readonly retention: Pick<RetentionUseCases, 'deleteTraces' | 'removeMedia' | 'isWanted'>
  readonly countTraces: CountTraces
  readonly userDeletions: UserDeletionParts
}

/** The periodic work of every part on what all nodes share; a part that fails or takes long does not delay others. */
export async function startHousekeeping({ config, clock, logger }: Environment, parts: HouseParts): Promise<Rounds> {
  const { control, media, webhooks } = parts
  const purge = purgeOf(clock, parts)
  const deletions = new RunDeletions({
    jobs: control.deletionJobs,
    traces: parts.traces.useCases,
    countTraces: parts.countTraces,
    isWanted: parts.retention.isWanted,
    ofUsers: deleteUserOf(clock, parts, purge),
    clock,
    lookEveryMs: parts.nodes === undefined ? DELETIONS_EVERY_MS : DELETIONS_OF_NODES_EVERY_MS,
  })
  const traces = {
    journal: control.journal,
    journalRetentionMs: config.journalRetentionMs,
    idempotencyMs: config.idempotencyMs,
    dispatchedThrough: webhooks.dispatchedThrough,
  }
  const hourly = (apply: () => Promise<AppliedRetention>) => async () => {
    const { failure, hasMore } = await apply()
    if (failure !== null)
      logger.error(failure, 'the retention of a project could not be applied; the next round tries again')
    if (!hasMore) return RETENTION_EVERY_MS
    return failure === null ? PURGE_AFTER_MS : HOUSEKEEPING_EVERY_MS
  }
  const rounds = [
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneJournal(traces, clock.now())),
    startRounds(DELETIONS_EVERY_MS, logger, () => deletions.round()),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => deletions.prune()),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, hourly(parts.retention.deleteTraces)),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, hourly(parts.retention.removeMedia)),
    startRounds(PURGE_AFTER_MS, logger, () => purge.round(systemTimers.now())),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, async () => ((await media.keepHouse()) ? 0 : HOUSEKEEPING_EVERY_MS)),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneHistory(control.monitors, clock.now())),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => webhooks.keepHouse()),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneSessions(control.sessions, clock.now())),
    startRounds(HOUSEKEEPING_EVERY_MS, logger, () => pruneAudit(control.audit, config.auditRetentionMs, clock.now())),
    startRounds(STAGED_EVERY_MS, logger, () => media.takeInStaged()),
  ]
  return {
    async stop() {
      purge.stop()
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}

/** Deleted traces are removed from every store. */
function purgeOf(
  clock: Environment['clock'],
  { control, store, deliveries, clusterStore, disk, purge, traces: commits }: HouseParts,
): PurgeDeleted {
  return new PurgeDeleted({
    store,
    journal: control.journal,
    async forget(traces) {
      const ids = traces.map(({ traceId }) => traceId)
      const forget = () => deliveries.log.forgetContent(ids, clock.now(), EVENTS_TOGETHER)
      while ((await forget()) === EVENTS_TOGETHER) await nextTurn()
      for (const [projectId, ofProject] of Map.groupBy(traces, (trace) => trace.projectId)) {
        await clusterStore.clusters.forget(
          projectId,
          ofProject.map(({ traceId }) => traceId),
        )
      }
    },
    wallTime: clock.now,
    emptyLogs: () => purge?.emptyLogs() ?? true,
    onPurging: (isPurging) => purge?.onPurging(isPurging),
    isDiskFull: () => disk?.isFull() ?? false,
    version: () => commits.watermark().version,
  })
}
