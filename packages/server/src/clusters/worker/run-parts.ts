import type { ClusterId } from '@spoor/contract/ids'
import type { Discovery } from '@spoor/clustering/discover'
import type { DiscoveryMemory, RememberedRun } from '../../ports/clusters/discovery-memory.ts'
import type { TraceEmbeddings, View } from './embedder.ts'
import type { DiscoverRequest } from './messages.ts'

export interface RunParts {
  readonly request: DiscoverRequest
  readonly view: Pick<View, 'embedderVersion' | 'stored'>
  readonly embedded: TraceEmbeddings
  readonly discovery: Discovery
  /** The parts of each cluster, as returned by `partsOf`. */
  readonly partsOfClusters: readonly (readonly Uint32Array[])[]
  readonly last: RememberedRun | undefined
  readonly memory: Pick<DiscoveryMemory, 'excerpts'>
  readonly newClusterId: () => ClusterId
  /** Milliseconds since 1970 UTC. */
  readonly now: number
}

/** The index in the last run of a cluster of this one, -1 for a new cluster. */
export function placeBefore({ last, discovery }: Pick<RunParts, 'last' | 'discovery'>, index: number): number {
  return last?.previous.clusters.findIndex(({ id }) => id === discovery.clusters[index]!.id) ?? -1
}

export function formerLabels({ last }: Pick<RunParts, 'last'>): ReadonlySet<string> {
  return new Set(last?.names.map(({ label }) => label))
}

/** Rounding can carry a cosine of 1 beyond it. */
export function asCosine(value: number): number {
  return Math.min(1, Math.max(-1, value))
}
