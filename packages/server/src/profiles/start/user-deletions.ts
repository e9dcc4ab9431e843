import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { AuditUseCases } from '../../audit/audit-log.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { BlobKey } from '../../ports/media/blob-store.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { MetricEventStore } from '../../ports/metrics/metric-event-store.ts'
import { keepsPartsRemovedBy } from '../../storage/clickhouse/parts/old-parts.ts'
import type { DeletionFilters } from '../../traces/retention/delete-matching.ts'
import { DeleteUser, type DeleteUserDependencies } from '../../traces/retention/delete-user.ts'
import type { PurgeDeleted } from '../../traces/retention/purge-deleted.ts'
import { toReceipt } from '../../wire/job-to-wire.ts'
import type { ServiceStores } from './service-stores.ts'
import type { StartedTraces } from './start-traces.ts'
import type { StartedWebhooks } from './start-webhooks.ts'

/** What deletions of users need from other features. */
export interface UserDeletionParts {
  readonly metricEvents: Pick<MetricEventStore, 'findByTraces'>
  readonly audit: Pick<AuditUseCases, 'add'>
}

interface DeleteUserParts extends Pick<ServiceStores, 'control' | 'engine' | 'deliveries' | 'clusterStore'> {
  readonly webhooks: Pick<StartedWebhooks, 'dispatchedThrough'>
  readonly traces: Pick<StartedTraces, 'findRestorable' | 'deleteForGood'>
  readonly userDeletions: UserDeletionParts
}

/** Of each trace, events counted by one query. */
const EVENTS_TOGETHER = 1000
/** Bodies cleared without a break: some milliseconds. */
const BODIES_TOGETHER = 200
const BLOBS_TOGETHER = 1000

export function deleteUserOf(clock: Clock, parts: DeleteUserParts, purge: PurgeDeleted): DeleteUser {
  const { control, clusterStore, userDeletions } = parts
  return new DeleteUser({
    jobs: control.deletionJobs,
    traces: parts.traces,
    journal: control.journal,
    countMetricEvents: countEventsOf(userDeletions.metricEvents),
    countMedia: (traceIds) => control.media.countByTrace(traceIds),
    forgetTexts: forgetTextsIn(clock, parts),
    emptyLogs: () => purge.emptyLogs(),
    forgetTraces: (projectId, traceIds) => clusterStore.clusters.forget(projectId, traceIds),
    isPurged: (deletedBy) => purge.purgedThrough > deletedBy,
    isOffDisk: offDisk(clock, parts),
    record: recordIn(userDeletions.audit),
    clock,
  })
}

/** Discoveries write texts first, then the journal, then webhooks: they are cleared in this order. */
function forgetTextsIn(
  { now }: Clock,
  { control, clusterStore, deliveries, webhooks }: DeleteUserParts,
): DeleteUserDependencies['forgetTexts'] {
  return async (projectId) => {
    if (!(await clusterStore.clusters.forgetTexts(projectId))) return false
    const lastText = await control.journal.forgetTexts(projectId)
    if ((await webhooks.dispatchedThrough()) < lastText) return false
    const forget = () => deliveries.log.forgetContent([projectId], now(), BODIES_TOGETHER)
    while ((await forget()) === BODIES_TOGETHER) await nextTurn()
    return true
  }
}

/** Whether the files of removed rows and media are gone. */
function offDisk({ now }: Clock, { engine, control }: DeleteUserParts) {
  /** By project and time: when this was first called, and the media that waited for deletion then. */
  const waiting = new Map<string, { readonly seenAt: number; readonly media: ReadonlySet<BlobKey> }>()
  return async (projectId: ProjectId, deletedBy: number): Promise<boolean> => {
    const key = `${projectId} ${deletedBy}`
    const found = waiting.get(key) ?? { seenAt: now(), media: await mediaToDelete(control.media, projectId) }
    waiting.set(key, found)
    if (await keepsPartsRemovedBy(engine, found.seenAt)) return false
    const media = await mediaToDelete(control.media, projectId)
    if (!found.media.isDisjointFrom(media)) return false
    waiting.delete(key)
    return true
  }
}

async function mediaToDelete(
  media: Pick<MediaStore, 'blobsToDelete'>,
  projectId: ProjectId,
): Promise<ReadonlySet<BlobKey>> {
  const keys = new Set<BlobKey>()
  // Keys begin with the project.
  for (let after = `${projectId}/` as BlobKey; ;) {
    const page = await media.blobsToDelete(after, BLOBS_TOGETHER)
    const own = page.filter((key) => key.startsWith(`${projectId}/`))
    for (const key of own) keys.add(key)
    if (own.length < BLOBS_TOGETHER) return keys
    after = own.at(-1) ?? after
  }
}

function recordIn(audit: UserDeletionParts['audit']): DeleteUserDependencies['record'] {
  return (job) =>
    audit.add({
      projectId: job.projectId,
      actor: { kind: 'system', id: null },
      action: 'user.deleted',
      target: { kind: 'user', id: userOf(job.filters) },
      detail: { ...toReceipt(job) },
      requestId: null,
    })
}

function userOf(filters: string): string | null {
  const { userId } = JSON.parse(filters) as DeletionFilters
  return typeof userId === 'string' ? userId : null
}

function countEventsOf(events: UserDeletionParts['metricEvents']): DeleteUserDependencies['countMetricEvents'] {
  return async (projectId, traceIds) => {
    const counts = new Map<TraceId, number>()
    let left: readonly { readonly traceIds: readonly TraceId[]; readonly after: MetricEventId | null }[] = [
      { traceIds, after: null },
    ]
    while (left.length > 0) {
      const pages = await Promise.all(
        left.map((part) => events.findByTraces({ ...part, projectId, limit: EVENTS_TOGETHER, withDeleted: true })),
      )
      const ofTraces = [...Map.groupBy(pages.flat(), ({ traceId }) => traceId)]
      for (const [traceId, found] of ofTraces) counts.set(traceId, (counts.get(traceId) ?? 0) + found.length)
      left = ofTraces
        .filter(([, found]) => found.length === EVENTS_TOGETHER)
        .map(([traceId, found]) => ({ traceIds: [traceId], after: found.at(-1)?.id ?? null }))
    }
    return counts
  }
}
