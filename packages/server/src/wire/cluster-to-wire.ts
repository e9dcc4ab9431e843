import type {
  Cluster as ClusterBody,
  ClusterKind,
  ClusterDetail as ClusterDetailBody,
  ClusterMapPoint,
  ClusterRun as ClusterRunBody,
  ClusterSchedule as ClusterScheduleBody,
  ClusterSelection as ClusterSelectionBody,
  DiscoveryJob as DiscoveryJobBody,
  ListedCluster as ListedClusterBody,
} from '@spoor/contract/schemas/cluster'
import { fromTraceFilters } from '@spoor/contract/trace-filters'
import type { WebhookEvents } from '@spoor/contract/schemas/webhook-event'
import type { FoundPatterns } from '../traces/insight/find-patterns.ts'
import { toFailurePatterns } from './patterns-to-wire.ts'
import type { Cluster, ClusterNews } from '../ports/clusters/cluster.ts'
import { kindOfSet, selectionOfSet } from '../ports/clusters/cluster-set.ts'
import type { ClusterSchedule } from '../ports/clusters/cluster-schedule.ts'
import type { MapPoint, RunSummary } from '../ports/clusters/cluster-store.ts'
import type { DiscoveryParameters } from '../ports/clusters/discovery-job.ts'
import type { KnownSelection, ListedCluster, ReadCluster, WatchedJob } from '../clusters/use-cases.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'

function toClusterBody(cluster: Cluster, kind: ClusterKind): ClusterBody {
  const { id, label, description, size, color, keywords, errorRate, firstSeenAt } = cluster
  return {
    id,
    kind,
    label,
    description,
    size,
    color,
    keywords: [...keywords],
    error_rate: errorRate,
    first_seen_at: toWireTime(firstSeenAt),
  }
}

export function toListedClusterBody(cluster: ListedCluster): ListedClusterBody {
  const { selection, automaticLabel, typicalRequest, otherRequest, tightness, isMixed, judged, parent } = cluster
  return {
    ...toClusterBody(cluster, cluster.kind),
    judged,
    parent,
    selection_id: selection,
    automatic_label: automaticLabel,
    typical_request: typicalRequest,
    other_request: otherRequest,
    tightness,
    mixed: isMixed,
  }
}

export function toClusterDetailBody({
  cluster,
  representatives,
  centroid,
  computedAt,
  failureBy,
}: ReadCluster): ClusterDetailBody {
  return {
    cluster: toListedClusterBody(cluster),
    representative_traces: representatives.map(({ traceId, name, request, similarity }) => ({
      id: traceId,
      name,
      request,
      similarity,
    })),
    centroid: [...centroid],
    computed_at: toWireTime(computedAt),
    failure_by: failureBy,
  }
}

/** Coordinates on a screen need no more digits. */
const MAP_DECIMALS = 4

export function toMapPointBody({ traceId, x, y, clusterId }: MapPoint): ClusterMapPoint {
  const rounded = (value: number) => Number(value.toFixed(MAP_DECIMALS))
  return { trace_id: traceId, x: rounded(x), y: rounded(y), cluster_id: clusterId }
}

export function toDiscoveryJobBody({ job, progress }: WatchedJob): DiscoveryJobBody {
  return {
    id: job.id,
    kind: kindOfSet(job.setId),
    selection_id: selectionOfSet(job.setId),
    status: job.status,
    progress,
    error: job.error,
    result: job.result,
    ...toParametersBody(job.parameters),
    created_at: toWireTime(job.createdAt),
    started_at: toWireTimeOrNull(job.startedAt),
    finished_at: toWireTimeOrNull(job.finishedAt),
  }
}

export function toClusterRunBody(run: RunSummary): ClusterRunBody {
  const { id, computedAt, parameters, traces, created, shifted, ended, embedderVersion, quality, durationMs } = run
  return {
    id,
    computed_at: toWireTime(computedAt),
    ...toParametersBody(parameters),
    traces,
    clusters: [...run.clusters],
    created,
    shifted,
    ended,
    embedder_version: embedderVersion,
    quality,
    duration_ms: durationMs,
  }
}

export function toClusterSelectionBody({ id, filters, createdAt }: KnownSelection): ClusterSelectionBody {
  const { metadata, startTime, endTime, text } = filters
  return {
    id,
    filters: {
      ...fromTraceFilters('lists', filters),
      ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata.map(({ key, value }) => [key, value])) }),
      ...(startTime !== null && { start_time: toWireTime(startTime) }),
      ...(endTime !== null && { end_time: toWireTime(endTime) }),
      ...(text !== null && { q: text }),
    },
    created_at: toWireTime(createdAt),
  }
}

export function toClusterScheduleBody(schedule: ClusterSchedule): ClusterScheduleBody {
  const { enabled, everyHours, parameters, nextRunAt } = schedule
  return {
    enabled,
    every_hours: everyHours,
    ...toParametersBody(parameters),
    next_run_at: toWireTimeOrNull(nextRunAt),
  }
}

/** The data of journal events about a cluster. */
export function printClusterNews(news: ClusterNews, kind: ClusterKind): string {
  const cluster = toClusterBody(news.cluster, kind)
  if (news.kind === 'created') {
    const created: WebhookEvents['cluster.created']['data'] = { cluster }
    return JSON.stringify(created)
  }
  const { reason, similarity, previous, share, joined, left, splitInto, mergedFrom } = news
  const shifted: WebhookEvents['cluster.shifted']['data'] = {
    cluster,
    previous,
    joined,
    left,
    similarity,
    reason,
    share,
    split_into: [...splitInto],
    merged_from: [...mergedFrom],
  }
  return JSON.stringify(shifted)
}

/** The data of the event of a pattern, which is the only one found. */
export function printClusterPattern(
  cluster: Cluster,
  kind: ClusterKind,
  found: FoundPatterns,
  failureBy: string,
): string {
  const [pattern] = toFailurePatterns(found, failureBy, 1).patterns
  const data: WebhookEvents['cluster.pattern']['data'] = {
    cluster: toClusterBody(cluster, kind),
    pattern: pattern!,
    failure_by: failureBy,
  }
  return JSON.stringify(data)
}

function toParametersBody({ windowHours, kMin, kMax, onlyComplete, failureBy }: DiscoveryParameters) {
  return { window_hours: windowHours, k_min: kMin, k_max: kMax, only_complete: onlyComplete, failure_by: failureBy }
}
