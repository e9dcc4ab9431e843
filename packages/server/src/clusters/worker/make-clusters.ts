import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { chooseRepresentatives } from '@spoor/clustering/choose-representatives'
import type { NewCluster } from '../../ports/clusters/discovery-memory.ts'
import { type FailureCount, type FailureVerdict, evaluateFailures } from '@spoor/clustering/evaluate-failures'
import type { ClusterName } from '@spoor/clustering/naming/name-clusters'
import { NOT_MEASURED } from './messages.ts'
import { asCosine, placeBefore, type RunParts } from './run-parts.ts'

/** @param topics for each cluster, as returned by `topicsOf` */
export function makeClusters(
  parts: RunParts,
  names: readonly ClusterName[],
  topics: readonly (string | null)[],
): NewCluster[] {
  const { request, embedded, partsOfClusters } = parts
  const failures = partsOfClusters.map((points): FailureCount => {
    const measured = points.flatMap((part) => Array.from(part, (point) => request.failed[embedded.places[point]!]!))
    const known = measured.filter((failed) => failed !== NOT_MEASURED)
    return { traces: known.length, failed: known.filter((failed) => failed === 1).length }
  })
  const sum = (of: keyof FailureCount) => failures.reduce((total, own) => total + own[of], 0)
  return failures.map((own, index) => {
    const rest = { traces: sum('traces') - own.traces, failed: sum('failed') - own.failed }
    const cluster = makeCluster(parts, index, names[index]!, evaluateFailures(own, rest))
    return Object.assign(cluster, { parent: topics[index]! })
  })
}

function makeCluster(parts: RunParts, index: number, name: ClusterName, verdict: FailureVerdict) {
  const { embedded, discovery, partsOfClusters, last, newClusterId, now } = parts
  const { id, size, cohesion } = discovery.clusters[index]!
  const chosen = chooseRepresentatives(embedded.points, partsOfClusters[index]!, discovery.cosines)
  return {
    id: (id as ClusterId | null) ?? newClusterId(),
    ...name,
    description: describe(name, size),
    ...verdict,
    size,
    cohesion,
    isMixed: partsOfClusters[index]!.length > 1,
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
  return `${traces}. Distinctive terms: ${keywords.slice(0, DESCRIBED_BY).join(', ')}.`
}
