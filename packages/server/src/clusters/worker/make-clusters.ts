import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { chooseRepresentatives } from '../choose-representatives.ts'
import type { Discovery } from '../discover.ts'
import type { NewCluster } from '../discovery-memory.ts'
import { type FailureVerdict, judgeFailures } from '../judge-failures.ts'
import { type ClusterName, MOST_NAMING_TEXTS, nameClusters } from '../naming/name-clusters.ts'
import { fromExcerpt } from './excerpt.ts'
import { asCosine, placeBefore, type RunParts } from './run-parts.ts'

/** The clusters of a run, named by their words. */
export function makeClusters(parts: RunParts): NewCluster[] {
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
  parts: RunParts,
  index: number,
  members: Uint32Array,
  name: ClusterName,
  verdict: FailureVerdict,
): NewCluster {
  const { embedded, discovery, last, newClusterId, now } = parts
  const { id, size, cohesion } = discovery.clusters[index]!
  const chosen = chooseRepresentatives(embedded.points, members, discovery.cosines)
  return {
    id: (id as ClusterId | null) ?? newClusterId(),
    ...name,
    description: describe(name, size),
    ...verdict,
    size,
    cohesion,
    firstSeenAt: last?.firstSeenAt[placeBefore(parts, index)] ?? now,
    representatives: chosen.map(({ point, similarity }) => ({
      traceId: embedded.traceIds[point] as TraceId,
      similarity: asCosine(similarity),
    })),
    namedBy: null,
  }
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

function namesOf(parts: RunParts, members: readonly Uint32Array[]) {
  const { request, embedded, discovery, last, memory } = parts
  const samples = members.map((points, index) => {
    const nearest = points.toSorted((a, b) => discovery.cosines[b]! - discovery.cosines[a]! || a - b)
    const ids = Array.from(nearest.subarray(0, MOST_NAMING_TEXTS), (point) => embedded.traceIds[point]!)
    const texts = memory
      .excerpts(request.projectId, ids)
      .flatMap((text) => (text === undefined ? [] : [fromExcerpt(text)]))
    return { texts, previous: last?.names[placeBefore(parts, index)] ?? null }
  })
  return nameClusters(samples)
}
