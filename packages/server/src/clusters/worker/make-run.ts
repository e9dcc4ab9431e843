import { silhouette } from '@spoor/clustering/partition/silhouette'
import type { ClusterId } from '@spoor/contract/ids'
import { selectionOfSet } from '../../ports/clusters/cluster-set.ts'
import type { Cluster, ClusterNews } from '../../ports/clusters/cluster.ts'
import type { NewCluster, NewRun } from '../../ports/clusters/discovery-memory.ts'
import type { ClusterChange } from '@spoor/clustering/identity/cluster-change'
import { asCosine, type RunParts } from './run-parts.ts'

export function makeRun(
  { request, view, embedded, discovery, now }: RunParts,
  clusters: readonly NewCluster[],
  endedAt: number,
): NewRun {
  const { points, traceIds } = embedded
  const { assignments, centroids, objective } = discovery
  const count = (kind: ClusterChange['kind']) => discovery.changes.filter((change) => change.kind === kind).length
  return {
    id: request.jobId,
    epoch: request.epoch,
    setId: request.setId,
    parameters: request.parameters,
    computedAt: now,
    durationMs: Math.max(0, endedAt - request.startedAt),
    traces: traceIds.length,
    created: count('created'),
    shifted: count('shifted'),
    ended: discovery.ended.length,
    embedderVersion: view.embedderVersion,
    quality: {
      cohesion: asCosine(objective / traceIds.length),
      silhouette: asCosine(silhouette(points, { k: clusters.length, assignments, centroids, objective })),
    },
    clusters,
    centroids,
    reaches: discovery.reaches,
    traceIds,
    assignments,
    map: discovery.map,
    refusedGain: discovery.refusedGain,
    // Who subscribes to clusters of the project wants none of a selection.
    news: selectionOfSet(request.setId) === null ? discovery.changes.map((change) => toNews(change, clusters)) : [],
    basis: view.stored,
  }
}

function toNews(change: ClusterChange, clusters: readonly NewCluster[]): ClusterNews {
  const cluster = withoutParts(clusters[change.cluster]!)
  if (change.kind === 'created') return { kind: 'created', cluster }
  const { reason, similarity, previousSize, previousShare, share, joined, left, splitInto, mergedFrom } = change
  return {
    kind: 'shifted',
    cluster,
    reason,
    similarity,
    previous: { size: previousSize, share: previousShare },
    share,
    joined,
    left,
    splitInto: splitInto.map((index) => clusters[index]!.id),
    mergedFrom: mergedFrom as ClusterId[],
  }
}

function withoutParts({
  cohesion: _cohesion,
  isMixed: _isMixed,
  representatives: _representatives,
  namedBy: _namedBy,
  ...cluster
}: NewCluster): Cluster {
  return cluster
}
