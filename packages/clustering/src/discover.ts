import { reachesOf } from './assign-new.ts'
import { chooseK } from './partition/choose-k.ts'
import type { Partition } from './partition/partition.ts'
import { createRandom } from './partition/seeded-random.ts'
import type { ClusterChange } from './identity/cluster-change.ts'
import { cohesionsOf, ownCosines, sizesOf } from './identity/cosines.ts'
import { growByOne } from './identity/grow-by-one.ts'
import { detectChanges } from './identity/detect-changes.ts'
import { matchPartition } from './identity/drop-unmatched.ts'
import type { Kept } from './identity/match-clusters.ts'
import { previousClusters, previousIndexes } from './identity/overlap.ts'
import type { PreviousRun } from './identity/previous-run.ts'
import { recentre, type EmbeddedTraces } from './identity/recentre.ts'
import { settleCount } from './identity/settle-count.ts'
import { IDENTITY_THRESHOLDS, type IdentityThresholds } from './identity/thresholds.ts'
import { gainOf } from './identity/find-new-clusters.ts'
import { warmStart } from './identity/warm-start.ts'
import { layOutMap } from './map/lay-out-map.ts'
import type { Matrix } from './matrix.ts'
import { inOrderOfSize } from './order-clusters.ts'

export interface ClusteringRequest {
  /** Unit rows. */
  readonly points: Matrix
  /** Ascending, one for each row. */
  readonly traceIds: readonly string[]
  /** Version of the embedder that made the points. */
  readonly embedderVersion: string
  readonly previous: PreviousRun | null
  readonly kMin: number
  readonly kMax: number
  readonly seed: number
  readonly thresholds?: IdentityThresholds
  /**
   * Needed when another embedder made the last run's centroids: the last run's traces, embedded by the current one. If
   * omitted, only former members present in `points` are used and no events are emitted.
   */
  readonly formerMembers?: EmbeddedTraces
  /** A sample of the traces of an earlier run, embedded as `points` are: what is rare among them may be new. */
  readonly earlier?: Matrix
}

interface DiscoveredCluster {
  /** Null for a new cluster; the caller assigns an id. */
  readonly id: string | null
  readonly size: number
  /** Mean cosine of its traces to its centroid. */
  readonly cohesion: number
}

export interface Discovery extends Pick<PreviousRun, 'centroids' | 'assignments' | 'map' | 'refusedGain'> {
  /** Largest first. */
  readonly clusters: readonly DiscoveredCluster[]
  /** For each trace the cosine to the centroid of its cluster. */
  readonly cosines: Float32Array
  /** For each cluster the least cosine with which a later trace belongs to it. */
  readonly reaches: Float32Array
  /**
   * Events to emit, in the order of `clusters`. Differences that only come from another embedder are not changes, see
   * `formerMembers`.
   */
  readonly changes: readonly ClusterChange[]
  /** Ids of the last run that no cluster has now. They are never reused. */
  readonly ended: readonly string[]
  readonly objective: number
}

/** With fewer traces, nothing is clustered. */
export const LEAST_TRACES = 20

/**
 * Clusters traces and matches the clusters with those of the last run. The first run chooses the number of clusters and
 * starts cold. A later run starts from the last run's centroids, because a cold start finds other clusters in the same
 * traces. It adds clusters for new topics; the number is chosen again only for another range, because each change costs
 * ids. The same request gives the same bytes. Returns null when there are fewer than LEAST_TRACES.
 */
export function discover(request: ClusteringRequest): Discovery | null {
  const { points, traceIds, previous, embedderVersion, thresholds = IDENTITY_THRESHOLDS } = request
  if (traceIds.length < LEAST_TRACES) return null
  const random = createRandom(request.seed)
  if (previous === null) {
    const partition = chooseK(points, { kMin: request.kMin, kMax: request.kMax, random })
    return conclude(request, inOrderOfSize(partition), null, random)
  }
  const comparable = previous.embedderVersion === embedderVersion
  const former = comparable ? previous : recentre(previous, request.formerMembers ?? { points, traceIds }, thresholds)
  const indexes = previousIndexes(traceIds, former)
  const before = previousClusters(indexes, former)
  const partition = continuePartition(request, former, before, random, thresholds)
  const emits = comparable || request.formerMembers !== undefined
  return conclude(request, inOrderOfSize(partition), { former, indexes, before, comparable, emits }, random)
}

function continuePartition(
  request: ClusteringRequest,
  previous: PreviousRun,
  before: Int32Array,
  random: () => number,
  thresholds: IdentityThresholds,
): Partition {
  const { points, kMin, kMax, earlier = null } = request
  const warm = warmStart({ points, previous, before, earlier, kMin, kMax, random, thresholds })
  if (warm === null) return chooseK(points, { kMin, kMax, random })
  const isOtherRange = previous.kMin !== kMin || previous.kMax !== kMax
  const k = isOtherRange ? chooseK(points, { kMin, kMax, random }).k : Math.min(kMax, Math.max(kMin, warm.k))
  return settleCount(points, warm, k, random)
}

interface Past {
  readonly former: PreviousRun
  readonly indexes: Int32Array
  readonly before: Int32Array
  /** Whether the last map's directions apply to these points. */
  readonly comparable: boolean
  readonly emits: boolean
}

function conclude(
  request: ClusteringRequest,
  partition: Partition,
  past: Past | null,
  random: () => number,
): Discovery {
  const { points, thresholds = IDENTITY_THRESHOLDS } = request
  const { k, assignments, centroids, objective } = partition
  const sizes = sizesOf(assignments, k)
  const cosines = ownCosines(points, partition)
  const cohesions = cohesionsOf(assignments, cosines, k)
  const { matches, changes } = identify(points, partition, sizes, past, thresholds)
  const previousClustersNow = past?.former.clusters ?? []
  const kept = new Set(matches.map((match) => match?.previous))
  return {
    clusters: matches.map((match, index) => ({
      id: match === null ? null : previousClustersNow[match.previous]!.id,
      size: sizes[index]!,
      cohesion: cohesions[index]!,
    })),
    centroids,
    assignments,
    cosines,
    reaches: reachesOf(assignments, cosines, k),
    changes,
    ended: previousClustersNow.filter((_, index) => !kept.has(index)).map(({ id }) => id),
    map: layOutMap(points, partition, past === null ? null : { ...past, frame: past.former.map }),
    objective,
    refusedGain:
      past !== null && past.former.clusters.length === k
        ? past.former.refusedGain
        : refusedGainOf(points, partition, random),
  }
}

function identify(
  points: Matrix,
  partition: Partition,
  sizes: Uint32Array,
  past: Past | null,
  thresholds: IdentityThresholds,
): { readonly matches: readonly (Kept | null)[]; readonly changes: readonly ClusterChange[] } {
  const { k, assignments } = partition
  if (past === null) {
    const matches = Array.from({ length: k }, () => null)
    return { matches, changes: matches.map((_, cluster) => ({ kind: 'created', cluster })) }
  }
  const { former: previous, before, emits } = past
  const { matches, overlap } = matchPartition(partition, { points, previous, before, thresholds })
  const run = { previous, matches, overlap, sizes, traceCount: assignments.length }
  return { matches, changes: emits ? detectChanges(run, thresholds) : [] }
}

function refusedGainOf(points: Matrix, partition: Partition, random: () => number): number {
  const grown = growByOne(points, partition, random)
  return grown === null ? 0 : Math.max(0, gainOf(grown, partition))
}

/** Indexes of the points of each cluster, ascending. */
export function membersOf({ clusters, assignments }: Discovery): Uint32Array[] {
  const members = clusters.map(({ size }) => new Uint32Array(size))
  const filled = new Uint32Array(clusters.length)
  assignments.forEach((cluster, point) => (members[cluster]![filled[cluster]!++] = point))
  return members
}

/** The part of a discovery that the next one needs, once each new cluster has an id. */
export function toPreviousRun(
  discovery: Discovery,
  { traceIds, embedderVersion, kMin, kMax }: Omit<ClusteringRequest, 'points' | 'previous' | 'seed'>,
  ids: readonly string[],
): PreviousRun {
  return {
    embedderVersion,
    clusters: discovery.clusters.map(({ size, cohesion }, index) => ({ id: ids[index]!, size, cohesion })),
    centroids: discovery.centroids,
    traceIds,
    assignments: discovery.assignments,
    refusedGain: discovery.refusedGain,
    kMin,
    kMax,
    map: discovery.map,
  }
}
