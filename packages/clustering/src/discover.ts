import { reachesOf } from './assign-new.ts'
import { chooseK } from './partition/choose-k.ts'
import type { Partition } from './partition/partition.ts'
import { createRandom } from './partition/seeded-random.ts'
import type { ClusterChange } from './identity/cluster-change.ts'
import { cohesionsOf, ownCosines, sizesOf } from './identity/cosines.ts'
import { growByOne } from './identity/grow-by-one.ts'
import { judgeChanges } from './identity/judge-changes.ts'
import { matchClusters, type Kept } from './identity/match-clusters.ts'
import { countOverlap, previousClusters, previousIndexes } from './identity/overlap.ts'
import type { ClusterCountChoice, PreviousRun } from './identity/previous-run.ts'
import { recentre, type EmbeddedTraces } from './identity/recentre.ts'
import { formerCentroids, sampledCentroids } from './identity/sampled-centroids.ts'
import { settleCount } from './identity/settle-count.ts'
import { IDENTITY_THRESHOLDS, type IdentityThresholds } from './identity/thresholds.ts'
import { gainOf } from './identity/find-births.ts'
import { warmStart } from './identity/warm-start.ts'
import { layOutMap } from './map/lay-out-map.ts'
import type { MapFrame } from './map/map-frame.ts'
import type { Matrix } from './matrix.ts'
import { inOrderOfSize } from './order-clusters.ts'

export interface ClusteringRequest {
  /** Unit rows. */
  readonly points: Matrix
  /** Ascending, one for each row. */
  readonly traceIds: readonly string[]
  /** Of what made the points. */
  readonly embedderVersion: string
  readonly previous: PreviousRun | null
  readonly kMin: number
  readonly kMax: number
  readonly seed: number
  readonly thresholds?: IdentityThresholds
  /** Where another embedder made the last run's centroids: its traces as the present one sees them. Without it those among `points` are taken, and nothing is told. */
  readonly formerMembers?: EmbeddedTraces
}

interface DiscoveredCluster {
  /** Null for a new one, to which the caller gives an id. */
  readonly id: string | null
  readonly size: number
  /** Mean cosine of its traces to its centroid. */
  readonly cohesion: number
  /** The least cosine with which a trace that comes later belongs to it. */
  readonly reach: number
}

export interface Discovery {
  /** From the largest to the smallest. */
  readonly clusters: readonly DiscoveredCluster[]
  readonly centroids: Matrix
  /** For each trace the index of its cluster … */
  readonly assignments: Int32Array
  /** … and the cosine to its centroid. */
  readonly cosines: Float32Array
  /** What is to be told, in the order of `clusters`. What another embedder sees otherwise is no change: see `formerMembers`. */
  readonly changes: readonly ClusterChange[]
  /** Ids of the last run that no cluster has now. They are never given again. */
  readonly ended: readonly string[]
  readonly map: MapFrame
  readonly objective: number
  readonly refusedGain: number
  readonly choice: ClusterCountChoice
}

/** With fewer traces there is nothing to discover. */
export const LEAST_TRACES = 20

/**
 * Groups traces, and says which groups are those of the last run. The first run chooses the number of groups and starts cold; each later one goes on from the last one's
 * centroids (a cold start would find other groups in the same traces), adds what is new, and changes their number only where that is clearly better. The same
 * request gives the same bytes. Null when there are fewer than LEAST_TRACES.
 */
export function discover(request: ClusteringRequest): Discovery | null {
  const { points, traceIds, previous, embedderVersion, thresholds = IDENTITY_THRESHOLDS } = request
  if (traceIds.length < LEAST_TRACES) return null
  const random = createRandom(request.seed)
  if (previous === null) {
    const { partition } = chooseK(points, { kMin: request.kMin, kMax: request.kMax, previousK: null, random })
    return conclude(request, inOrderOfSize(partition), null, random)
  }
  const comparable = previous.embedderVersion === embedderVersion
  const former = comparable ? previous : recentre(previous, request.formerMembers ?? { points, traceIds }, thresholds)
  const indexes = previousIndexes(traceIds, former)
  const before = previousClusters(indexes, former)
  const partition = partitionAgain(request, former, before, random, thresholds)
  const tell = comparable || request.formerMembers !== undefined
  return conclude(request, inOrderOfSize(partition), { former, indexes, before, comparable, tell }, random)
}

function partitionAgain(
  request: ClusteringRequest,
  previous: PreviousRun,
  before: Int32Array,
  random: () => number,
  thresholds: IdentityThresholds,
): Partition {
  const { points, kMin, kMax } = request
  const warm = warmStart({ points, previous, before, kMin, kMax, random, thresholds })
  if (warm === null) return chooseK(points, { kMin, kMax, previousK: null, random }).partition
  const k = asksAnew(previous.choice, choiceOf(request))
    ? chooseK(points, { kMin, kMax, previousK: warm.k, random }).k
    : Math.min(kMax, Math.max(kMin, warm.k))
  return settleCount(points, warm, k, random)
}

function choiceOf({ kMin, kMax, traceIds }: ClusteringRequest): ClusterCountChoice {
  return { kMin, kMax, traceCount: traceIds.length }
}

/**
 * Whether the number of clusters is to be chosen anew: from another range, or when there is twice as much to choose it by. Between those, only what came or vanished
 * changes it: scores differ by more than five percent from one cold start to the next on the same traces, and each change would take ids away.
 */
function asksAnew(then: ClusterCountChoice, now: ClusterCountChoice): boolean {
  return then.kMin !== now.kMin || then.kMax !== now.kMax || now.traceCount >= MORE_EVIDENCE * then.traceCount
}

const MORE_EVIDENCE = 2

interface Past {
  readonly former: PreviousRun
  readonly indexes: Int32Array
  readonly before: Int32Array
  /** Whether the last map's directions mean anything for these points. */
  readonly comparable: boolean
  readonly tell: boolean
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
  const reaches = reachesOf(assignments, cosines, k)
  const { matches, changes } = identify(points, partition, sizes, past, thresholds)
  const previousClustersNow = past?.former.clusters ?? []
  const kept = new Set(matches.map((match) => match?.previous))
  return {
    clusters: matches.map((match, index) => ({
      id: match === null ? null : previousClustersNow[match.previous]!.id,
      size: sizes[index]!,
      cohesion: cohesions[index]!,
      reach: reaches[index]!,
    })),
    centroids,
    assignments,
    cosines,
    changes,
    ended: previousClustersNow.filter((_, index) => !kept.has(index)).map(({ id }) => id),
    map: layOutMap(points, partition, past === null ? null : { ...past, frame: past.former.map }),
    objective,
    choice: past === null || asksAnew(past.former.choice, choiceOf(request)) ? choiceOf(request) : past.former.choice,
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
  const { former, before, tell } = past
  const overlap = countOverlap(before, former.clusters.length, assignments, k)
  const matches = matchClusters(formerCentroids(former), sampledCentroids(points, partition), overlap, thresholds)
  const run = { previous: former, matches, overlap, sizes, traceCount: assignments.length }
  return { matches, changes: tell ? judgeChanges(run, thresholds) : [] }
}

function refusedGainOf(points: Matrix, partition: Partition, random: () => number): number {
  const grown = growByOne(points, partition, random)
  return grown === null ? 0 : Math.max(0, gainOf(grown, partition))
}

/** Of a discovery what the next one builds on, once each new cluster has an id. */
export function toPreviousRun(
  discovery: Discovery,
  { traceIds, embedderVersion }: Pick<ClusteringRequest, 'traceIds' | 'embedderVersion'>,
  ids: readonly string[],
): PreviousRun {
  return {
    embedderVersion,
    clusters: discovery.clusters.map(({ size, cohesion }, index) => ({ id: ids[index]!, size, cohesion })),
    centroids: discovery.centroids,
    traceIds,
    assignments: discovery.assignments,
    refusedGain: discovery.refusedGain,
    choice: discovery.choice,
    map: discovery.map,
  }
}
