import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { reachesOf } from '../assign-new.ts'
import { silhouette } from '../clustering/silhouette.ts'
import type { ClusterNews } from '../cluster.ts'
import type { Discovery } from '../discover.ts'
import type { DiscoveryMemory, NewCluster, NewRun, RememberedRun } from '../discovery-memory.ts'
import type { ClusterChange } from '../identity/cluster-change.ts'
import { type FailureVerdict, judgeFailures } from '../judge-failures.ts'
import { type ClusterName, MOST_NAMING_TEXTS, nameClusters } from '../naming/name-clusters.ts'
import { chooseRepresentatives } from '../choose-representatives.ts'
import type { EmbeddedTraces, FittedBasis } from './embed-traces.ts'
import { fromExcerpt } from './excerpt.ts'
import type { DiscoverRequest } from './messages.ts'

export interface RunParts {
  readonly request: DiscoverRequest
  readonly fitted: FittedBasis
  readonly embedded: EmbeddedTraces
  readonly discovery: Discovery
  readonly last: RememberedRun | undefined
  readonly memory: Pick<DiscoveryMemory, 'excerpts'>
  readonly newClusterId: () => ClusterId
  /** Milliseconds since 1970 UTC. */
  readonly now: number
}

/** The run that a discovery is kept as. */
export function makeRun(parts: RunParts): NewRun {
  const { request, fitted, embedded, discovery, now } = parts
  const { points, traceIds } = embedded
  const { assignments, centroids, objective } = discovery
  const clusters = makeClusters(parts)
  const news = discovery.changes.map((change) => toNews(change, clusters))
  return {
    id: request.jobId,
    projectId: request.projectId,
    parameters: request.parameters,
    computedAt: now,
    durationMs: Math.max(0, now - request.startedAt),
    traces: traceIds.length,
    created: news.filter(({ kind }) => kind === 'created').length,
    shifted: news.filter(({ kind }) => kind === 'shifted').length,
    ended: discovery.ended.length,
    embedderVersion: fitted.embedderVersion,
    quality: {
      cohesion: asCosine(objective / traceIds.length),
      silhouette: asCosine(silhouette(points, { k: clusters.length, assignments, centroids, objective })),
    },
    clusters,
    centroids,
    reaches: reachesOf(assignments, discovery.cosines, clusters.length),
    traceIds,
    assignments,
    map: discovery.map,
    refusedGain: discovery.refusedGain,
    choice: discovery.choice,
    news,
    basis: fitted.stored,
  }
}

function makeClusters(parts: RunParts): NewCluster[] {
  const { request, embedded, discovery } = parts
  const members = membersOf(discovery)
  const names = namesOf(parts, members)
  const failedOf = (points: Uint32Array): number =>
    points.reduce((sum, point) => sum + request.failed[embedded.places[point]!]!, 0)
  const failures = members.map((points) => ({ traces: points.length, failed: failedOf(points) }))
  const all = failures.reduce((sum, { failed }) => sum + failed, 0)
  return failures.map((own, index) => {
    const rest = { traces: embedded.traceIds.length - own.traces, failed: all - own.failed }
    return makeCluster(parts, index, members[index]!, names[index]!, judgeFailures(own, rest))
  })
}

function makeCluster(
  { embedded, discovery, last, newClusterId, now }: RunParts,
  index: number,
  members: Uint32Array,
  name: ClusterName,
  verdict: FailureVerdict,
): NewCluster {
  const { id, size, cohesion } = discovery.clusters[index]!
  const chosen = chooseRepresentatives(embedded.points, members, discovery.cosines)
  return {
    id: (id as ClusterId | null) ?? newClusterId(),
    ...name,
    description: describe(name, size),
    ...verdict,
    size,
    cohesion,
    firstSeenAt: last?.firstSeenAt[placeBefore(last, discovery, index)] ?? now,
    representatives: chosen.map(({ point, similarity }) => ({
      traceId: embedded.traceIds[point] as TraceId,
      similarity: asCosine(similarity),
    })),
  }
}

/** Its place in the run before, -1 when it was not there. */
function placeBefore({ previous }: RememberedRun, { clusters }: Discovery, index: number): number {
  return previous.clusters.findIndex(({ id }) => id === clusters[index]!.id)
}

const DESCRIBED_BY = 5

function describe({ label, keywords }: ClusterName, size: number): string {
  const traces = size === 1 ? '1 trace' : `${size} traces`
  if (keywords.length === 0) return `${traces}: ${label}.`
  return `${traces} told from the others by ${keywords.slice(0, DESCRIBED_BY).join(', ')}.`
}

/** Indexes of the points of each cluster, ascending. */
function membersOf({ clusters, assignments }: Discovery): Uint32Array[] {
  const members = clusters.map(({ size }) => new Uint32Array(size))
  const filled = new Uint32Array(clusters.length)
  assignments.forEach((cluster, point) => (members[cluster]![filled[cluster]!++] = point))
  return members
}

function namesOf({ request, embedded, discovery, last, memory }: RunParts, members: readonly Uint32Array[]) {
  const samples = members.map((points, index) => {
    const nearest = points.toSorted((a, b) => discovery.cosines[b]! - discovery.cosines[a]! || a - b)
    const ids = Array.from(nearest.subarray(0, MOST_NAMING_TEXTS), (point) => embedded.traceIds[point]!)
    const texts = memory
      .excerpts(request.projectId, ids)
      .flatMap((text) => (text === undefined ? [] : [fromExcerpt(text)]))
    return { texts, previous: last?.names[placeBefore(last, discovery, index)] ?? null }
  })
  return nameClusters(samples)
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

function withoutParts({ cohesion: _cohesion, representatives: _representatives, ...cluster }: NewCluster) {
  return cluster
}

/** Rounding can carry a cosine of 1 beyond it. */
function asCosine(value: number): number {
  return Math.min(1, Math.max(-1, value))
}
